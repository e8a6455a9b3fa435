import http, { type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { hostOf } from './creatorUrl.ts'
import { type Failure, failure } from './failure.ts'
import type { Outbound } from './outbound.ts'

export interface RequestTarget {
  readonly url: URL
  /** The operator named it: any address is allowed, by the system's lookup. Otherwise every address of the host must be public. */
  readonly trusted: boolean
  /** Sends this; default: asks for a text. */
  readonly post?: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
}

/** The head of a response, whose body must be read or destroyed. */
export type RequestAnswer = { readonly kind: 'response'; readonly response: IncomingMessage } | Failure

const HEADERS = { accept: 'application/json, text/plain;q=0.9, */*;q=0.1', 'accept-encoding': 'identity', 'user-agent': 'Tokenwire' }

/** Resolves with the head of the response. Never rejects. `signal` aborts it, also while the body is read. */
export async function sendRequest(target: RequestTarget, outbound: Outbound, signal: AbortSignal): Promise<RequestAnswer> {
  const { url, trusted } = target
  if (trusted) return send(target, {}, outbound, signal)
  const addresses = await addressesOf(hostOf(url), outbound, signal)
  if (addresses.length === 0) return failure(signal.aborted ? 'too_slow' : 'no_connection')
  // The creator's name server chooses which address is used.
  if (!addresses.every(address => outbound.isPublic(address))) return failure('forbidden_address')
  return send(target, { lookup: answerWith(addresses) }, outbound, signal)
}

async function addressesOf(host: string, outbound: Outbound, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  const ended = new Promise<readonly string[]>(resolve => {
    if (signal.aborted) resolve([])
    signal.addEventListener('abort', () => resolve([]), { once: true })
  })
  return Promise.race([outbound.resolve(host).catch(() => []), ended])
}

function answerWith(addresses: readonly string[]): LookupFunction {
  const all = addresses.map(address => ({ address, family: isIP(address) }))
  return (_host, options, callback) => {
    const [first = { address: '', family: 4 }] = all
    if (options.all === true) callback(null, [...all])
    else callback(null, first.address, first.family)
  }
}

function send(
  { url, post }: RequestTarget,
  options: RequestOptions,
  { limits, ca }: Outbound,
  signal: AbortSignal,
): Promise<RequestAnswer> {
  const answered = new Promise<RequestAnswer>(resolve => {
    const isSecure = url.protocol === 'https:'
    const trust = ca === undefined ? {} : { ca }
    // No agent: a kept connection would be used again without a check of its address.
    const method = post === undefined ? 'GET' : 'POST'
    const headers = post?.headers ?? HEADERS
    const request = (isSecure ? https : http).request(url, { ...options, ...trust, method, headers, agent: false, signal })
    const end = (answer: RequestAnswer) => {
      clearTimeout(connecting)
      clearTimeout(waiting)
      resolve(answer)
      if (answer.kind === 'failure') request.destroy()
    }
    const connecting = setTimeout(() => end(failure('no_connection')), limits.connectMs)
    const waiting = setTimeout(() => end(failure('too_slow')), limits.firstByteMs)
    request.once('socket', socket => {
      const connected = () => clearTimeout(connecting)
      if (isSecure) (socket as TLSSocket).once('secureConnect', connected)
      else socket.once('connect', connected)
    })
    request.once('response', response => end({ kind: 'response', response }))
    const broken = () => end(failure(signal.aborted ? 'too_slow' : 'no_connection'))
    // Not `once`: a destroyed request may emit several errors.
    request.on('error', broken)
    request.once('close', broken)
    request.end(post?.body)
  })
  // Node throws for some URLs that the URL standard allows.
  return answered.catch(() => failure('no_connection'))
}
