import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { NodeFailure } from './simulatedChain.ts'

export interface FakeCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** What a provider does instead of answering. */
export type Misbehaviour =
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  | { readonly kind: 'result'; readonly result: unknown }
  /** For the whole request, whatever else is in it. */
  | { readonly kind: 'http'; readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }
  /** Sends headers and the first half of the answer, then nothing more. */
  | { readonly kind: 'hang-in-body' }

export interface FakeProviderOptions {
  readonly chain: { answer(method: string, params: readonly unknown[]): unknown }
  /** Called for each call; `undefined`: answer as the chain does. */
  readonly misbehave?: (call: FakeCall) => Misbehaviour | undefined
  /** Batches of more calls are refused, in these words. */
  readonly batchLimit?: { readonly calls: number; readonly message: string }
  readonly shuffleBatches?: boolean
}

export interface FakeProvider {
  /** `http://127.0.0.1:…/v2/<a secret>` */
  readonly url: string
  readonly webSocketUrl: string
  readonly secret: string
  /** Every call so far. */
  readonly calls: FakeCall[]
  /** How many HTTP requests came. */
  requests(): number
  setMisbehaviour(misbehave: ((call: FakeCall) => Misbehaviour | undefined) | undefined): void
  /** Tells WebSocket subscribers of a head. */
  pushHead(): void
  /** Closes the WebSockets that are open. */
  dropSockets(): void
  stop(): Promise<void>
}

interface Message {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** A JSON-RPC server over a chain in memory, HTTP and WebSocket, that misbehaves as providers do. */
export async function startFakeProvider({ chain, misbehave, batchLimit, shuffleBatches }: FakeProviderOptions): Promise<FakeProvider> {
  const secret = 'k3y-of-the-provider-0123456789'
  const calls: FakeCall[] = []
  const subscribers = new Map<WebSocket, string>()
  let behave = misbehave
  let requests = 0

  const answerOne = async ({ id, method, params }: Message, fault: Misbehaviour | undefined): Promise<unknown> => {
    if (fault?.kind === 'error') return { jsonrpc: '2.0', id, error: { code: fault.code, message: fault.message } }
    if (fault?.kind === 'result') return { jsonrpc: '2.0', id, result: fault.result }
    try {
      return { jsonrpc: '2.0', id, result: await chain.answer(method, params) }
    } catch (error) {
      if (error instanceof NodeFailure) return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } }
      throw error
    }
  }
  const take = (message: Message) => {
    const call = { method: message.method, params: message.params }
    calls.push(call)
    return behave?.(call)
  }

  const respond = async (body: string, response: ServerResponse): Promise<void> => {
    requests++
    const parsed = JSON.parse(body) as Message | Message[]
    const messages = Array.isArray(parsed) ? parsed : [parsed]
    const faults = messages.map(take)
    const whole = faults.find(fault => fault !== undefined && fault.kind !== 'error' && fault.kind !== 'result')
    switch (whole?.kind) {
      case 'hang':
        return
      case 'reset':
        response.socket?.resetAndDestroy()
        return
      case 'hang-in-body':
        response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"jsonrpc":"2.0","id":1,"resu')
        return
      case 'http':
        response.writeHead(whole.status, { 'Content-Type': 'text/plain', ...whole.headers }).end(whole.body ?? '')
        return
      default: {
        response.setHeader('Content-Type', 'application/json')
        if (Array.isArray(parsed) && batchLimit !== undefined && parsed.length > batchLimit.calls) {
          response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: batchLimit.message } }))
          return
        }
        const answers = await Promise.all(messages.map((message, index) => answerOne(message, faults[index])))
        if (shuffleBatches === true) answers.reverse()
        response.end(JSON.stringify(Array.isArray(parsed) ? answers : answers[0]))
      }
    }
  }

  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => void respond(Buffer.concat(chunks).toString(), response))
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', socket => {
    socket.on('close', () => subscribers.delete(socket))
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Message
      const fault = take(message)
      if (fault?.kind === 'hang' || fault?.kind === 'hang-in-body') return
      if (fault?.kind === 'reset' || fault?.kind === 'http') {
        socket.terminate()
        return
      }
      if (message.method === 'eth_subscribe' && fault === undefined) {
        subscribers.set(socket, '0xabc')
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: '0xabc' }))
      } else if (message.method === 'eth_unsubscribe') {
        subscribers.delete(socket)
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: true }))
      } else void answerOne(message, fault).then(answer => socket.send(JSON.stringify(answer)))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}/v2/${secret}`,
    webSocketUrl: `ws://127.0.0.1:${port}/v2/${secret}`,
    secret,
    calls,
    requests: () => requests,
    setMisbehaviour: next => {
      behave = next
    },
    pushHead: () => {
      for (const [socket, subscription] of subscribers) {
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result: {} } }))
      }
    },
    dropSockets: () => {
      for (const socket of sockets.clients) socket.terminate()
    },
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      server.closeAllConnections()
      await new Promise<void>(resolve => {
        server.close(() => resolve())
      })
    },
  }
}

/** The `chain` of a provider that passes every call on to a real node. */
export function relayTo(url: string): FakeProviderOptions['chain'] {
  return {
    answer: async (method, params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(url, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } })
      const { result, error } = (await response.json()) as { result?: unknown; error?: { code: number; message: string } }
      if (error !== undefined) throw new NodeFailure(error.code, error.message)
      return result
    },
  }
}
