import http, { type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { hostOf } from './creatorUrl.ts'
import { type Failure, failure } from './failure.ts'
import type { Outbound } from './outbound.ts'

export interface RequestTarget {
  readonly url: URL
  /** Whether the operator has named it, so that any address is allowed. If not, every address of the host must be public. */
  readonly trusted: boolean
  /** A body to send by POST. Default: a GET that asks for a text. */
  readonly post?: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
}

/** The head of a response, whose body must be read or destroyed. */
export type RequestAnswer = { readonly kind: 'response'; readonly response: IncomingMessage } | Failure

const HEADERS = { accept: 'application/json, text/plain;q=0.9, */*;q=0.1', 'accept-encoding': 'identity', 'user-agent': 'Tokenwire' }

/** Resolves with the head of the response. Never rejects. `signal` aborts the request, even while its body is read. */
export async function sendRequest(target: RequestTarget, outbound: Outbound, signal: AbortSignal): Promise<RequestAnswer> {
  const { url, trusted } = target
  if (trusted) return send(target, {}, outbound, signal)
  const host = hostOf(url)
  if (isIP(host) !== 0 && !outbound.isPublic(host)) return failure('forbidden_address')
  return send(target, { lookup: publicLookup(host, outbound) }, outbound, signal)
}

const FORBIDDEN = new Error('the host has an address that is not public')

/** Looks a host up for each new connection, which goes only to the checked addresses: its name server may answer differently later. */
function publicLookup(host: string, outbound: Outbound): LookupFunction {
  return (_, options, callback) => {
    const answer = (addresses: readonly string[]) => {
      const all = addresses.map(address => ({ address, family: isIP(address) }))
      const [first] = all
      if (first === undefined) callback(new Error('the host has no address'), '')
      else if (!addresses.every(address => outbound.isPublic(address))) callback(FORBIDDEN, '')
      else if (options.all === true) callback(null, all)
      else callback(null, first.address, first.family)
    }
    void outbound.resolve(host).then(answer, () => answer([]))
  }
}

function send(target: RequestTarget, options: RequestOptions, outbound: Outbound, signal: AbortSignal): Promise<RequestAnswer> {
  const { url, post } = target
  const { limits, ca, connections } = outbound
  const answered = new Promise<RequestAnswer>(resolve => {
    const isSecure = url.protocol === 'https:'
    const trust = ca === undefined ? {} : { ca }
    const agent = connections?.[isSecure ? 'https' : 'http'] ?? false
    const method = post === undefined ? 'GET' : 'POST'
    const headers = post?.headers ?? HEADERS
    const request = (isSecure ? https : http).request(url, { ...options, ...trust, method, headers, agent, signal })
    let isEnded = false
    const settle = (answer: RequestAnswer | Promise<RequestAnswer>) => {
      isEnded = true
      clearTimeout(connecting)
      clearTimeout(waiting)
      resolve(answer)
    }
    const end = (answer: RequestAnswer) => {
      if (isEnded) return
      settle(answer)
      if (answer.kind === 'failure') request.destroy()
    }
    const connecting = setTimeout(() => end(failure('no_connection')), limits.connectMs)
    const waiting = setTimeout(() => end(failure('too_slow')), limits.firstByteMs)
    request.once('socket', socket => {
      const connected = () => clearTimeout(connecting)
      if (request.reusedSocket) connected()
      else if (isSecure) (socket as TLSSocket).once('secureConnect', connected)
      else socket.once('connect', connected)
    })
    request.once('response', response => end({ kind: 'response', response }))
    const broken = (error?: Error) => {
      if (isEnded) return
      // A server may close a kept connection just when it is used again.
      if (request.reusedSocket && error !== undefined && !signal.aborted)
        settle(send(target, options, { ...outbound, connections: null }, signal))
      else if (error === FORBIDDEN) end(failure('forbidden_address'))
      else end(failure(signal.aborted ? 'too_slow' : 'no_connection'))
    }
    // `once` would not do, since a destroyed request may emit several errors.
    request.on('error', broken)
    request.once('close', broken)
    request.end(post?.body)
  })
  // Node throws for some URLs that the URL standard allows.
  return answered.catch(() => failure('no_connection'))
}
