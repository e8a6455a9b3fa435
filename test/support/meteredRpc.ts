import { createServer, type IncomingMessage } from 'node:http'
import { closedAfterFile } from './closeAfterFile.ts'
import { listen } from './listen.ts'

interface JsonRpcCall {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly { readonly fromBlock?: string; readonly toBlock?: string }[]
}

/** A provider in front of a chain, with a limit to the range of `eth_getLogs` and a hook on each such call. */
export interface MeteredRpc {
  readonly url: string
  /** Awaited before a range of logs is answered. */
  onRange: (from: number, to: number) => Promise<void>
  close(): Promise<void>
}

export async function startMeteredRpc(chainUrl: string, maxBlocks: number): Promise<MeteredRpc> {
  const server = createServer((request, response) => {
    void answer(request).then(
      body => response.setHeader('content-type', 'application/json').end(body),
      () => response.destroy(),
    )
  })

  async function answer(request: IncomingMessage): Promise<string> {
    const body = await textOf(request)
    const calls = [JSON.parse(body) as JsonRpcCall | readonly JsonRpcCall[]].flat()
    for (const { id, method, params } of calls) {
      const [filter] = params ?? []
      if (method !== 'eth_getLogs' || filter?.fromBlock === undefined || filter.toBlock === undefined) continue
      const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)]
      if (to - from + 1 > maxBlocks)
        return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message: `block range exceeds ${maxBlocks} blocks` } })
      await provider.onRange(from, to)
    }
    const answered = await fetch(chainUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return answered.text()
  }

  const provider: MeteredRpc = {
    url: `http://127.0.0.1:${await listen(server)}`,
    onRange: async () => {},
    close: closedAfterFile(async () => {
      server.closeAllConnections()
      await new Promise(resolve => void server.close(resolve))
    }),
  }
  return provider
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return text
}
