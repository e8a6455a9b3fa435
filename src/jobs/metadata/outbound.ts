import { Resolver } from 'node:dns/promises'
import type { IncomingMessage, RequestOptions } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type Failure, failure } from './failure.ts'

export const FETCH_LIMITS = {
  /** The time for the connection, TLS included. */
  connectMs: 5_000,
  /** The time for the response's headers. */
  firstByteMs: 10_000,
  /** The time for the whole fetch, including redirects. */
  wholeMs: 15_000,
  /** The longest body, before and after it is unpacked. */
  maxBytes: 262_144,
  maxRedirects: 3,
}

/** How long a connection without a request is kept. */
const IDLE_MS = 30_000

export type FetchLimits = Readonly<typeof FETCH_LIMITS>

/** How requests for creators' URLs are sent. */
export interface Outbound {
  resolve(host: string): Promise<readonly string[]>
  isPublic(address: string): boolean
  /** The ports that URLs may name. */
  readonly ports: { readonly https: number; readonly http: number }
  readonly limits: FetchLimits
  /** Connections that further requests use again, whose addresses were checked when they were opened. Default: none are kept. */
  readonly connections?: { readonly http: http.Agent; readonly https: https.Agent } | null
  /** Certificate authorities in place of Node's own. */
  readonly ca?: string
}

/**
 * Sends requests only to public addresses, found by DNS queries. The system's lookup would occupy libuv's few threads, and knows private
 * names.
 */
export function publicOutbound(): Outbound {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  return {
    resolve: async host => {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    },
    isPublic: isPublicAddress,
    ports: { https: 443, http: 80 },
    limits: FETCH_LIMITS,
  }
}

/** `connections` for many requests to the same hosts. A connection without a request is closed after half a minute. */
export function keptConnections(): Exclude<Outbound['connections'], null | undefined> {
  const options = { keepAlive: true, timeout: IDLE_MS }
  return { http: new http.Agent(options), https: new https.Agent(options) }
}

/** The networks of IANA's special-purpose registries, and the metadata services of clouds, which give out credentials. */
const NOT_PUBLIC_4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** IPv6 global unicast. All other addresses are not public: mapped IPv4, NAT64, unique-local, link-local and multicast. */
const GLOBAL_6 = ['2000::', 3] as const
/** Networks within it that are not public: IETF protocols with Teredo and benchmarking, documentation, 6to4, AS112, documentation. */
const NOT_PUBLIC_6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]

const refused = new BlockList()
for (const [network, prefix] of NOT_PUBLIC_4) refused.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of NOT_PUBLIC_6) refused.addSubnet(network, prefix, 'ipv6')
const global6 = new BlockList()
global6.addSubnet(...GLOBAL_6, 'ipv6')

/** Whether a text is an IP address of the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refused.check(address, 'ipv4')
    case 6:
      return !address.includes('%') && global6.check(address, 'ipv6') && !refused.check(address, 'ipv6')
    default:
      return false
  }
}

export interface CreatorUrlRules {
  readonly allowHttp: boolean
  /** The allowed port of each scheme. Default 443 and 80. */
  readonly ports?: { readonly https: number; readonly http: number }
}

const DEFAULT_PORTS = { https: 443, http: 80 }
/** Names of private networks (RFC 6761, RFC 8375, ICANN's private-use domain), and `onion`, which needs a proxy. */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|intranet|private|corp|home|lan|home\.arpa|onion|test|invalid)$/

/**
 * Whether the server, or a visitor's browser, may open a creator's URL. Other schemes and ports, credentials, and private names and
 * addresses in any notation are refused. The addresses of a name are checked when it is resolved.
 */
export function isCreatorUrl(url: URL, { allowHttp, ports = DEFAULT_PORTS }: CreatorUrlRules): boolean {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowHttp)) return false
  if (url.username !== '' || url.password !== '') return false
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  if (Number(url.port === '' ? DEFAULT_PORTS[scheme] : url.port) !== ports[scheme]) return false
  const host = hostOf(url)
  if (isIP(host) !== 0) return isPublicAddress(host)
  return host.includes('.') && !PRIVATE_NAMES.test(host)
}

/** The host name without a trailing dot, or the IP address without brackets. The URL parser has normalised every notation of IPv4. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

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
const NO_ADDRESS = Object.assign(new Error('the host has no address'), { code: 'ENOTFOUND' })

/** Looks a host up for each new connection, which goes only to the checked addresses: its name server may answer differently later. */
function publicLookup(host: string, outbound: Outbound): LookupFunction {
  return (_, options, callback) => {
    const answer = (addresses: readonly string[]) => {
      const all = addresses.map(address => ({ address, family: isIP(address) }))
      const [first] = all
      if (first === undefined) callback(NO_ADDRESS, '')
      else if (!addresses.every(address => outbound.isPublic(address))) callback(FORBIDDEN, '')
      else if (options.all === true) callback(null, all)
      else callback(null, first.address, first.family)
    }
    void outbound.resolve(host).then(answer, () => answer([]))
  }
}

function codeOf(error: NodeJS.ErrnoException | undefined): { readonly code?: string } {
  // Where several addresses were tried, the first error stands for all.
  const { code } = error instanceof AggregateError ? ((error.errors[0] as NodeJS.ErrnoException | undefined) ?? {}) : (error ?? {})
  return code === undefined ? {} : { code }
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
      else end(signal.aborted ? failure('too_slow') : { ...failure('no_connection'), ...codeOf(error) })
    }
    // `once` would not do, since a destroyed request may emit several errors.
    request.on('error', broken)
    request.once('close', broken)
    request.end(post?.body)
  })
  // Node throws for some URLs that the URL standard allows.
  return answered.catch(() => failure('no_connection'))
}
