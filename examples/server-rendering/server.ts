import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createTokenwire, type Token } from 'tokenwire/client'

/*
 * npx node examples/server-rendering/server.ts [service] [port]: renders /<address> with the token's state. The page is readable
 * without scripts, and updates itself with them.
 */

const [service = 'http://localhost:3000', port = '8080'] = process.argv.slice(2)
const tokenwire = createTokenwire({ url: service })

/** Names come from the chain and can contain HTML. */
const escaped = (text: string) => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

const page = (token: Token) => `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escaped(token.symbol ?? token.address)}</title>
  <link rel="icon" href="data:,">
  <h1>${escaped(token.name ?? token.address)}</h1>
  <dl>
    <dt>Price (WETH)<dd id="price">${escaped(token.market.priceWeth ?? '–')}
    <dt>Holders<dd id="holders">${token.market.holderCount}
  </dl>
  <script type="application/json" id="state">${JSON.stringify({ service, token }).replaceAll('<', '\\u003c')}</script>
  <script type="importmap">{ "imports": { "tokenwire/client": "/tokenwire/index.js" } }</script>
  <script type="module" src="/page.js"></script>
</html>
`

async function answer(path: string, response: ServerResponse): Promise<void> {
  const send = (status: number, type: string, body: string | Buffer) =>
    response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(body)
  if (path === '/page.js') send(200, 'text/javascript', await readFile(new URL('page.js', import.meta.url)))
  else if (path === '/tokenwire/index.js')
    send(200, 'text/javascript', await readFile(fileURLToPath(import.meta.resolve('tokenwire/client'))))
  else {
    const token = await tokenwire.token(path.slice(1))
    if (token.ok) send(200, 'text/html', page(token.value))
    else if (token.error.code === 'not_found' || token.error.code === 'rejected') send(404, 'text/plain', 'There is no such token.')
    else send(503, 'text/plain', 'The service does not answer at the moment.')
  }
}

const server = createServer((request, response) => {
  answer(new URL(request.url ?? '/', 'http://localhost').pathname, response).catch(() => response.destroy())
})

server.listen(Number(port), () => {
  const address = server.address()
  console.log(`http://localhost:${typeof address === 'object' ? address?.port : address}`)
})
