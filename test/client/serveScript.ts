import { createServer } from 'node:http'
import { build } from 'vite'
import { listen } from '#test/support/listen.ts'

/** A page with an element `app`, and a script of a project with all that it imports. */
export async function serveScript(project: string, entry: string): Promise<{ readonly url: string; close(): void }> {
  const built = await build({
    root: project,
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"development"' },
    build: { write: false, minify: false, lib: { entry, formats: ['es'] } },
  })
  const [{ output }] = built as unknown as [{ output: [{ code: string }] }]
  const server = createServer((request, response) => {
    const isScript = request.url === '/app.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    const html = '<link rel="icon" href="data:,"><div id="app"></div><script type="module" src="/app.js"></script>'
    response.end(isScript ? output[0].code : html)
  })
  return { url: `http://localhost:${await listen(server)}`, close: () => void server.close() }
}
