import http, { type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { hostOf } from './creatorUrl.ts'
import type { Outbound } from './outbound.ts'
import { type Failure, failure } from './problem.ts'

export interface GetTarget {
  readonly url: URL
  /** Where the operator sends us: any address, looked up by the system. Elsewhere every address of the host has to be public. */
  readonly trusted: boolean
}

/** The answer's head; its body has not been read, and must be, or be destroyed. */
export type GetAnswer = { readonly ok: true; readonly response: IncomingMessage } | Failure

const HEADERS = { accept: 'application/json, text/plain;q=0.9, */*;q=0.1', 'accept-encoding': 'identity', 'user-agent': 'Tokenwire' }

/** Sends one GET and waits for the head of its answer. Never rejects. `signal` ends it, also while the body is read. */
export async function httpGet({ url, trusted }: GetTarget, outbound: Outbound, signal: AbortSignal): Promise<GetAnswer> {
  if (trusted) return send(url, {}, outbound, signal)
  const addresses = await addressesOf(hostOf(url), outbound, signal)
  if (addresses.length === 0) return failure(signal.aborted ? 'too_slow' : 'no_connection')
  // One that is not public is enough: which one is connected to would be the creator's choice.
  if (!addresses.every(address => outbound.isPublic(address))) return failure('forbidden_address')
  return send(url, { lookup: answerWith(addresses) }, outbound, signal)
}

async function addressesOf(host: string, outbound: Outbound, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  const ended = new Promise<readonly string[]>(resolve => {
    if (signal.aborted) resolve([])
    signal.addEventListener('abort', () => resolve([]), { once: true })
  })
  return Promise.race([outbound.resolve(host).catch(() => []), ended])
}

/** A look-up that gives what was checked, so that the connection goes there and nowhere else. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const all = addresses.map(address => ({ address, family: isIP(address) }))
  return (_host, options, callback) => {
    const [first = { address: '', family: 4 }] = all
    if (options.all === true) callback(null, [...all])
    else callback(null, first.address, first.family)
  }
}

function send(url: URL, options: RequestOptions, outbound: Outbound, signal: AbortSignal): Promise<GetAnswer> {
  // Node refuses some of what the URL standard allows by throwing.
  return begin(url, options, outbound, signal).catch(() => failure('no_connection'))
}

function begin(url: URL, options: RequestOptions, { limits, ca }: Outbound, signal: AbortSignal): Promise<GetAnswer> {
  return new Promise(resolve => {
    const isSecure = url.protocol === 'https:'
    const trust = ca === undefined ? {} : { ca }
    // No agent: a connection that stays open would be used again without its address being looked at.
    const request = (isSecure ? https : http).request(url, { ...options, ...trust, headers: HEADERS, agent: false, signal })
    const end = (answer: GetAnswer) => {
      clearTimeout(connecting)
      clearTimeout(waiting)
      resolve(answer)
      if (!answer.ok) request.destroy()
    }
    const connecting = setTimeout(() => end(failure('no_connection')), limits.connectMs)
    const waiting = setTimeout(() => end(failure('too_slow')), limits.firstByteMs)
    request.once('socket', socket => {
      const connected = () => clearTimeout(connecting)
      if (isSecure) (socket as TLSSocket).once('secureConnect', connected)
      else socket.once('connect', connected)
    })
    request.once('response', response => end({ ok: true, response }))
    const broken = () => end(failure(signal.aborted ? 'too_slow' : 'no_connection'))
    // Not once: a request that is destroyed may still report more than one.
    request.on('error', broken)
    request.once('close', broken)
    request.end()
  })
}
