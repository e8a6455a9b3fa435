import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

/* npx node examples/serve.ts <browser|wallet-page> [port]: serves a page of the examples, and the client that it imports. */

const [folder = 'browser', port = '8080'] = process.argv.slice(2)

const FILES: Readonly<Record<string, readonly [file: URL | string, type: string]>> = {
  '/': [new URL(`${folder}/index.html`, import.meta.url), 'text/html'],
  '/page.js': [new URL(`${folder}/page.js`, import.meta.url), 'text/javascript'],
  '/page.css': [new URL('page.css', import.meta.url), 'text/css'],
  '/tokenwire/index.js': [import.meta.resolve('tokenwire/client'), 'text/javascript'],
  '/tokenwire/live.js': [import.meta.resolve('tokenwire/client/live'), 'text/javascript'],
  '/tokenwire/format.js': [import.meta.resolve('tokenwire/client/format'), 'text/javascript'],
}

const server = createServer((request, response) => {
  void answer(new URL(request.url ?? '/', 'http://localhost').pathname).then(({ status, type, body }) => {
    response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(body)
  })
})

async function answer(path: string): Promise<{ status: number; type: string; body: Buffer | string }> {
  const [file, type] = FILES[path] ?? []
  if (file === undefined || type === undefined) return { status: 404, type: 'text/plain', body: 'not here' }
  return { status: 200, type, body: await readFile(fileURLToPath(file)) }
}

server.listen(Number(port), () => {
  const address = server.address()
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`)
})
