import { getSocketRpcClient, type SocketRpcClient } from 'viem/utils'
import { isEnvelope, type RpcCall, type RpcEndpoint, readResult, redactor, targetOf } from './rpcEndpoint.ts'
import { faultOf, RpcError } from './rpcFault.ts'

type Client = SocketRpcClient<WebSocket>

const ON_SOCKET = { status: 200, retryAfterMs: null }
/** viem keeps its socket clients by key, and would return one that is closing: each socket gets its own key. */
let sockets = 0

export interface WebSocketEndpointOptions {
  readonly name: string
  readonly url: string
  /** For the opening of a socket, and for the answer to a subscription. */
  readonly timeoutMs: number
}

/**
 * A provider over WebSocket, on viem's socket client without its reconnecting, which gives up after five attempts and prints the URL: here
 * the next call opens a new socket after the last one has closed. A socket on which a call times out is closed.
 */
export function createWebSocketEndpoint({ name, url, timeoutMs }: WebSocketEndpointOptions): RpcEndpoint {
  const redact = redactor(url)
  let current: Promise<Client> | null = null
  let closed = false

  const open = (): Promise<Client> => {
    if (closed) return Promise.reject(new RpcError({ kind: 'closed' }, name))
    if (current !== null) return current
    const opening = openClient(url, timeoutMs, () => {
      if (current === opening) current = null
    }).catch(() => {
      if (current === opening) current = null
      throw new RpcError({ kind: closed ? 'closed' : 'network' }, name)
    })
    current = opening
    return opening
  }

  const call = (client: Client, { method, params }: RpcCall, signal: AbortSignal): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    client.request({
      body: { method, params: [...params] },
      onResponse: resolve,
      onError: () => reject(new RpcError({ kind: closed ? 'closed' : 'network' }, name)),
    })
    return promise
      .finally(() => signal.removeEventListener('abort', onAbort))
      .then(answer => {
        if (!isEnvelope(answer)) throw new RpcError({ kind: 'garbled', what: `${method} answered by no object` }, name)
        return readResult(answer, method, ON_SOCKET, redact, name)
      })
  }

  const subscribeHeads = async (onHead: () => void, onEnd: () => void) => {
    const client = await open()
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    let ended = false
    const end = () => {
      reject(new RpcError({ kind: 'network' }, name))
      if (!ended) onEnd()
      ended = true
    }
    const timer = setTimeout(end, timeoutMs)
    client.request({
      body: { method: 'eth_subscribe', params: ['newHeads'] },
      onError: end,
      onResponse: (message: unknown) => {
        if (!isEnvelope(message)) return
        if (message.id === undefined) {
          if (!ended) onHead()
          return
        }
        if (typeof message.result === 'string') resolve(message.result)
        else end()
      },
    })
    const subscription = await promise.finally(() => clearTimeout(timer))
    return () => {
      ended = true
      client.subscriptions.delete(subscription)
      client.request({ body: { method: 'eth_unsubscribe', params: [subscription] }, onResponse: () => {}, onError: () => {} })
    }
  }

  return {
    send: async (calls, signal) => {
      const opened = open()
      const client = await opened
      signal.throwIfAborted()
      const onAbort = () => {
        if (faultOf(signal.reason)?.kind !== 'timeout') return
        if (current === opened) current = null
        client.close()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const outcomes = await Promise.allSettled(calls.map(one => call(client, one, signal)))
      signal.removeEventListener('abort', onAbort)
      const results: unknown[] = []
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') {
          if (outcome.reason instanceof RpcError) return { results, refusal: outcome.reason }
          throw outcome.reason
        }
        results.push(outcome.value)
      }
      return { results, refusal: null }
    },
    subscribeHeads,
    close: () => {
      closed = true
      void current?.then(client => client.close()).catch(() => {})
    },
  }
}

/** Opens the socket within the time; `onClosed` is called once, however it ends. */
function openClient(address: string, timeoutMs: number, onClosed: () => void): Promise<Client> {
  const { url, headers } = targetOf(address)
  let client: Client | undefined
  return getSocketRpcClient<WebSocket>({
    url,
    key: `tokenwire-${++sockets}`,
    reconnect: false,
    keepAlive: false,
    getSocket: async ({ onClose, onOpen, onError, onResponse }) => {
      const socket = new WebSocket(url, { headers })
      const opened = Promise.withResolvers<void>()
      const timer = setTimeout(() => {
        opened.reject(new Error('not open in time'))
        socket.close()
      }, timeoutMs)
      socket.addEventListener('open', () => {
        onOpen()
        opened.resolve()
      })
      socket.addEventListener('message', ({ data }) => {
        const message = parseMessage(data)
        if (message !== undefined) onResponse(message)
      })
      socket.addEventListener('error', () => onError(new Error('socket error')))
      socket.addEventListener('close', () => {
        opened.reject(new Error('closed'))
        onClosed()
        onClose()
        client?.close()
      })
      await opened.promise.finally(() => clearTimeout(timer))
      return Object.assign(socket, {
        request: ({ body }: { body: unknown }) => {
          // A closing socket silently drops what it is given.
          if (socket.readyState !== WebSocket.OPEN) throw new Error('socket not open')
          socket.send(JSON.stringify(body))
        },
      })
    },
  }).then(opened => {
    client = opened
    return opened
  })
}

/**
 * A message of the shape that viem's client expects; on any other it would throw, uncaught. `undefined`: not of that shape. It is ignored,
 * so its call times out, and the socket is closed.
 */
function parseMessage(data: unknown): never | undefined {
  if (typeof data !== 'string') return undefined
  try {
    const message = JSON.parse(data) as unknown
    return isMessage(message) ? (message as never) : undefined
  } catch {
    return undefined
  }
}

function isMessage(message: unknown): boolean {
  if (!isEnvelope(message)) return false
  const { method, params } = message as { readonly method?: unknown; readonly params?: unknown }
  return method !== 'eth_subscription' || isEnvelope(params)
}
