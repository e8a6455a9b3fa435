import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { closedAfterFile } from './closeAfterFile.ts'
import { listen } from './listen.ts'
import { NodeFailure } from './simulatedChain.ts'

export interface FakeCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** A fault of a provider instead of an answer. */
export type Misbehaviour =
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  | { readonly kind: 'result'; readonly result: unknown }
  /** Answers the whole request, all of its calls included. */
  | { readonly kind: 'http'; readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }
  /** Sends headers and the first half of the answer, then hangs. */
  | { readonly kind: 'hang-in-body' }
  /** Sends half of the answer and closes the connection. */
  | { readonly kind: 'cut-in-body' }
  /** Sends half of the answer as if it were complete. */
  | { readonly kind: 'half' }
  /** Answers the other calls of the request. */
  | { readonly kind: 'omit' }

export interface FakeProviderOptions {
  readonly chain: { answer(method: string, params: readonly unknown[]): unknown }
  /** Called for each call; `undefined`: answer as the chain does. */
  readonly misbehave?: (call: FakeCall) => Misbehaviour | undefined
  /** Refuses batches of more calls, with this message. */
  readonly batchLimit?: { readonly calls: number; readonly message: string }
  readonly shuffleBatches?: boolean | (() => boolean)
}

export interface FakeProvider {
  /** `http://127.0.0.1:…/v2/<a secret>` */
  readonly url: string
  readonly webSocketUrl: string
  /** Answers as over HTTP, without a socket, in a tenth of the time. */
  readonly fetch: typeof fetch
  readonly secret: string
  /** Every call so far. */
  readonly calls: FakeCall[]
  /** The number of HTTP requests so far. */
  requests(): number
  setMisbehaviour(misbehave: ((call: FakeCall) => Misbehaviour | undefined) | undefined): void
  /** Sends a head to WebSocket subscribers. */
  pushHead(): void
  /** Sends an unsolicited message to every socket. */
  blurt(text: string): void
  /** Closes all open WebSockets. */
  dropSockets(): void
  stop(): Promise<void>
}

/** Faults of single calls; the others affect the whole request. */
const OF_ONE_CALL: ReadonlySet<Misbehaviour['kind']> = new Set<Misbehaviour['kind']>(['error', 'result', 'omit'])

/** The bytes sent for a request. `ends`: what happens instead of the answer's end. */
type Reply =
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' }
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
      readonly ends?: 'hang' | 'close'
    }

const JSON_HEADERS = { 'Content-Type': 'application/json' }

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

  const reply = async (body: string): Promise<Reply> => {
    requests++
    const parsed = JSON.parse(body) as Message | Message[]
    const messages = Array.isArray(parsed) ? parsed : [parsed]
    const faults = messages.map(take)
    const whole = faults.find(fault => fault !== undefined && !OF_ONE_CALL.has(fault.kind))
    switch (whole?.kind) {
      case 'hang':
        return { kind: 'hang' }
      case 'reset':
        return { kind: 'reset' }
      case 'hang-in-body':
        return { kind: 'answer', status: 200, headers: JSON_HEADERS, body: '{"jsonrpc":"2.0","id":1,"resu', ends: 'hang' }
      case 'http':
        return { kind: 'answer', status: whole.status, headers: { 'Content-Type': 'text/plain', ...whole.headers }, body: whole.body ?? '' }
      default: {
        if (Array.isArray(parsed) && batchLimit !== undefined && parsed.length > batchLimit.calls) {
          const refusal = { jsonrpc: '2.0', id: null, error: { code: -32600, message: batchLimit.message } }
          return { kind: 'answer', status: 200, headers: JSON_HEADERS, body: JSON.stringify(refusal) }
        }
        const answered = await Promise.all(messages.map((message, index) => answerOne(message, faults[index])))
        const answers = answered.filter((_, index) => faults[index]?.kind !== 'omit')
        if (shuffleBatches === true || (typeof shuffleBatches === 'function' && shuffleBatches())) answers.reverse()
        const text = JSON.stringify(Array.isArray(parsed) ? answers : (answers[0] ?? null))
        if (whole === undefined) return { kind: 'answer', status: 200, headers: JSON_HEADERS, body: text }
        const half = text.slice(0, Math.floor(text.length / 2))
        return {
          kind: 'answer',
          status: 200,
          headers: JSON_HEADERS,
          body: half,
          ...(whole.kind === 'half' ? {} : { ends: 'close' as const }),
        }
      }
    }
  }

  const respond = async (body: string, response: ServerResponse): Promise<void> => {
    const said = await reply(body)
    if (said.kind === 'hang') return
    if (said.kind === 'reset') {
      response.socket?.resetAndDestroy()
      return
    }
    response.writeHead(said.status, said.headers)
    if (said.ends === undefined) response.end(said.body)
    else response.write(said.body, () => said.ends === 'close' && response.destroy())
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
      if (fault?.kind === 'hang' || fault?.kind === 'hang-in-body' || fault?.kind === 'omit') return
      if (fault?.kind === 'reset' || fault?.kind === 'http' || fault?.kind === 'cut-in-body') {
        socket.terminate()
        return
      }
      if (fault?.kind === 'half') {
        socket.send(`{"jsonrpc":"2.0","id":${String(message.id)},"resu`)
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
  const port = await listen(server)

  return {
    url: `http://127.0.0.1:${port}/v2/${secret}`,
    fetch: async (_, init) => {
      if (typeof init?.body !== 'string') throw new TypeError('a request without a text')
      return toResponse(await reply(init.body), init.signal ?? null)
    },
    webSocketUrl: `ws://127.0.0.1:${port}/v2/${secret}`,
    secret,
    calls,
    requests: () => requests,
    setMisbehaviour: next => {
      behave = next
    },
    blurt: text => {
      for (const socket of sockets.clients) socket.send(text)
    },
    pushHead: () => {
      for (const [socket, subscription] of subscribers) {
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result: {} } }))
      }
    },
    dropSockets: () => {
      for (const socket of sockets.clients) socket.terminate()
    },
    stop: closedAfterFile(async () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      server.closeAllConnections()
      await new Promise<void>(resolve => {
        server.close(() => resolve())
      })
    }),
  }
}

/** A reply as `fetch` returns it. */
function toResponse(said: Reply, signal: AbortSignal | null): Promise<Response> | Response {
  const aborted = () =>
    new Promise<never>((_, reject) => {
      if (signal?.aborted === true) reject(signal.reason as Error)
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
  if (said.kind === 'hang') return aborted()
  if (said.kind === 'reset') throw new TypeError('fetch failed')
  const { status, headers, body, ends } = said
  if (ends === undefined) return new Response(body, { status, headers })
  const stream = new ReadableStream({
    start: async controller => {
      controller.enqueue(new TextEncoder().encode(body))
      await (ends === 'hang' ? aborted() : Promise.reject(new TypeError('terminated'))).catch((error: unknown) => controller.error(error))
    },
  })
  return new Response(stream, { status, headers })
}

/** The `chain` of a provider that forwards every call to a real node. */
export function relayTo(url: string): FakeProviderOptions['chain'] {
  return {
    answer: async (method, params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      // Each on a connection of its own: the node closes idle ones, and a busy machine may send on one at that moment.
      const headers = { 'Content-Type': 'application/json', Connection: 'close' }
      const asked = fetch(url, { method: 'POST', body, headers }).then(response => response.json())
      // A test may stop the node while its service still asks.
      const answered = await asked.catch(() => ({ error: { code: -32_000, message: 'the node does not answer' } }))
      const { result, error } = answered as { result?: unknown; error?: { code: number; message: string } }
      if (error !== undefined) throw new NodeFailure(error.code, error.message)
      return result
    },
  }
}
