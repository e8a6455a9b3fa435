import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { closedAfterFile } from '#test/support/closeAfterFile.ts'
import { listen } from '#test/support/listen.ts'

export type Respond = (response: ServerResponse, request: IncomingMessage) => void

/** A price provider on a port of its own, until the end of the test file. */
export interface PriceServer {
  readonly url: string
  readonly requests: readonly { readonly path: string; readonly headers: IncomingMessage['headers'] }[]
  /** How it answers from now on. */
  respond: Respond
  close(): Promise<void>
}

export async function startPriceServer(respond: Respond): Promise<PriceServer> {
  const requests: { path: string; headers: IncomingMessage['headers'] }[] = []
  const listener: RequestListener = (request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers })
    server.respond(response, request)
  }
  const http: Server = createServer(listener)
  const server: PriceServer = {
    url: `http://127.0.0.1:${await listen(http)}`,
    requests,
    respond,
    close: closedAfterFile(async () => {
      const closed = once(http, 'close')
      http.close()
      http.closeAllConnections()
      await closed
    }),
  }
  return server
}

/** Answers as CoinGecko's simple price does. */
export const coingeckoAnswers = (price: string): Respond => sends(200, `{"ethereum":{"usd":${price}}}`)

/** Answers as Coinbase's spot price does. */
export const coinbaseAnswers = (price: string): Respond => sends(200, `{"data":{"amount":"${price}","base":"ETH","currency":"USD"}}`)

export function sends(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Respond {
  return response => void response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(body)
}
