import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'vite'

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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, close: () => void server.close() }
}
