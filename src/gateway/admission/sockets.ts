import { isIPv4, isIPv6 } from 'node:net'
import process from 'node:process'
import type { Logger } from 'pino'
import { isLogged } from '#async/pause.ts'
import type { Config } from '#config'
import type { HttpRequest, HttpResponse, TemplatedApp } from '#gateway/uWebSockets.ts'

/**
 * Descriptors reserved from clients: about 40 for the process itself, 25 for database connections, and the rest for providers, metadata,
 * files and a TLS renewal.
 */
const RESERVED_DESCRIPTORS = 160

/** The least limit of connections without a request per address: browsers open up to six per host in advance. */
const MIN_SILENT = 32

/** The number of sockets that clients get even if the limit of descriptors is no higher than the reserve. */
const MIN_SOCKETS = 16

/**
 * The open sockets of clients, for requests and WebSockets together. At the limit of descriptors, uWebSockets would try to accept again and
 * again, and no connection to the database could be opened.
 */
export interface Sockets {
  /** The most WebSockets and event streams. An eighth of the sockets is kept for requests. */
  readonly maxRealtime: number
  /** Counts the app's connections, and closes those past a limit as soon as they are accepted. */
  watch(app: TemplatedApp): void
  /** Counts a request. Returns whether its connection has to be closed after the answer. */
  requested(address: string): boolean
  /** To be called when a WebSocket has closed, which uWebSockets does not report to the filter. */
  webSocketClosed(): void
}

export interface SocketsOptions {
  /** The process's limit of file descriptors; `Infinity`: no limit is known. */
  readonly descriptors?: number
}

export function createSockets(
  config: Pick<Config, 'maxConnections' | 'maxConnectionsPerIp' | 'trustProxy'>,
  logger: Logger,
  { descriptors = descriptorLimit() }: SocketsOptions = {},
): Sockets {
  const limit = Math.max(descriptors - RESERVED_DESCRIPTORS, MIN_SOCKETS)
  const maxRealtime = Math.min(config.maxConnections, Math.floor((limit * 7) / 8))
  const maxSilent = Math.min(Math.max(config.maxConnectionsPerIp, MIN_SILENT), Math.ceil(limit / 4))
  const silent = createSilentCount(maxSilent)
  let open = 0
  let refused = 0
  if (maxRealtime < config.maxConnections) {
    logger.warn(
      { maxConnections: config.maxConnections, descriptors, accepted: maxRealtime },
      'MAX_CONNECTIONS is more than the limit of open files allows (ulimit -Hn, LimitNOFILE): fewer WebSockets and event streams are accepted',
    )
  }

  function opened(res: HttpResponse): void {
    open++
    const reason = open > limit ? 'as many sockets are open as the limit of open files allows' : reasonToRefuse(res)
    if (reason === null) return
    if (isLogged(++refused)) logger.warn({ open, limit, refused, reason }, 'a connection was refused')
    res.close()
  }

  /** A proxy's connections serve all of its clients, so its address has no limit of its own. */
  function reasonToRefuse(res: HttpResponse): string | null {
    if (config.trustProxy > 0) return null
    const key = limitKey(addressOfBytes(new Uint8Array(res.getRemoteAddress())))
    if (!silent.add(key)) return 'its address has too many that have sent no request yet'
    // The first request replaces this handler.
    res.onAborted(() => silent.remove(key))
    return null
  }

  return {
    maxRealtime,
    watch(app) {
      app.filter((res, change) => {
        if (change > 0) opened(res)
        else open--
      })
    },
    requested(address) {
      const key = limitKey(address)
      silent.remove(key)
      // While sockets are scarce, an idle connection must not keep a client out.
      return open > limit / 2 || silent.has(key)
    },
    webSocketClosed: () => void open--,
  }
}

/** The soft limit of file descriptors, which Node raises to the hard one when it starts; `Infinity`: no limit is known. */
function descriptorLimit(): number {
  const { userLimits } = process.report.getReport() as { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}

/**
 * Counts connections without a request, by address. uWebSockets does not say on which connection a request came, so any request counts as
 * the first one of some connection of its address. While others are silent, its own connection is closed after the answer, so that no
 * second request on it counts for another connection.
 */
function createSilentCount(most: number) {
  const counts = new Map<string, number>()
  return {
    has: (key: string) => counts.has(key),
    /** Returns false when the address has reached the limit. */
    add(key: string): boolean {
      const count = counts.get(key) ?? 0
      if (count >= most) return false
      counts.set(key, count + 1)
      return true
    },
    remove(key: string): void {
      const count = counts.get(key) ?? 0
      if (count > 1) counts.set(key, count - 1)
      else counts.delete(key)
    },
  }
}

/**
 * Normalises an IP address: IPv4 (also when mapped into IPv6) as dotted decimal, IPv6 as eight groups without leading zeros or `::`.
 * Accepts what proxies write into `X-Forwarded-For`: brackets, a port, a zone. `undefined`: the text is no IP address.
 */
export function normaliseAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const bare = (/^\[(.+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? trimmed).replace(/%.*$/, '')
  if (isIPv4(bare)) return bare
  if (isIPv6(bare)) return fromGroups(ipv6Groups(bare))
  const withPort = /^([\d.]+):\d+$/.exec(bare)?.[1]
  return withPort !== undefined && isIPv4(withPort) ? withPort : undefined
}

/** The address of a socket's peer from its 4 or 16 bytes; `unknown` for a closed socket, which has none. */
export function addressOfBytes(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) return 'unknown'
  return fromGroups(Array.from({ length: 8 }, (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)))
}

/**
 * The client's address behind proxies. Each proxy appends the peer that it sees to `X-Forwarded-For`, so behind `hops` trusted proxies the
 * client is the `hops`-th entry from the end. The client itself may have written the entries before it. A shorter list gives its first
 * entry. An entry that is no address ends the walk.
 */
export function forwardedAddress(peer: string, forwarded: string, hops: number): string {
  const entries = forwarded.split(',').reverse().slice(0, hops)
  let client = peer
  for (const entry of entries) {
    const address = normaliseAddress(entry)
    if (address === undefined) break
    client = address
  }
  return client
}

/** The key by which limits are counted: an IPv4 address, or the /64 of an IPv6 address, which providers assign to one customer. */
export function limitKey(address: string): string {
  return address.includes(':') ? address.split(':').slice(0, 4).join(':') : address
}

/** The eight groups of a valid IPv6 text. A URL writes a dotted IPv4 end as two groups. */
function ipv6Groups(text: string): readonly number[] {
  const [left = [], right] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::').map(groupsOf)
  if (right === undefined) return left
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right]
}

function groupsOf(part: string): readonly number[] {
  return part === '' ? [] : part.split(':').map(group => Number.parseInt(group, 16))
}

function fromGroups(groups: readonly number[]): string {
  const mapped = groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff
  if (!mapped) return groups.map(group => group.toString(16)).join(':')
  return groups
    .slice(6)
    .flatMap(group => [group >> 8, group & 0xff])
    .join('.')
}

/** Headers that proxies, load balancers and CDNs add, in lower case. */
const NAMES = new Set([
  'akamai-origin-hop',
  'cdn-loop',
  'client-ip',
  'do-connecting-ip',
  'fastly-client',
  'fastly-client-ip',
  'fastly-ff',
  'fly-client-ip',
  'fly-forwarded-port',
  'forwarded',
  'forwarded-for',
  'incap-client-ip',
  'proxy-client-ip',
  'remote-addr',
  'true-client-ip',
  'via',
  'wl-proxy-client-ip',
  'x-amz-cf-id',
  'x-amzn-trace-id',
  'x-appengine-user-ip',
  'x-arr-ssl',
  'x-azure-clientip',
  'x-azure-fdid',
  'x-azure-ref',
  'x-azure-socketip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-envoy-internal',
  'x-forwarded',
  'x-host',
  'x-nf-client-connection-ip',
  'x-original-forwarded-for',
  'x-original-host',
  'x-original-url',
  'x-originating-ip',
  'x-proxyuser-ip',
  'x-real-ip',
  'x-remote-addr',
  'x-remote-ip',
  'x-rewrite-url',
  'x-scheme',
  'x-sucuri-clientip',
  'x-varnish',
  'x-vercel-forwarded-for',
  'x-vercel-proxied-for',
  'x-vercel-ip-country',
])
const PREFIXES = ['x-forwarded-', 'cf-']

/** Whether a request has passed a proxy. Costs a call per header, so it is for operator routes only. */
export function hasForwardingHeader(req: Pick<HttpRequest, 'forEach'>): boolean {
  let found = false
  req.forEach(name => {
    found ||= NAMES.has(name) || PREFIXES.some(prefix => name.startsWith(prefix))
  })
  return found
}
