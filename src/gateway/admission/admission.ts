import { hash, randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { monotonicMs } from '#clock'
import type { Config } from '#config'
import { Tally } from '#domain/maps.ts'
import { type ApiKeys, createApiKeys, type GrantedKey, originTest } from '#gateway/keys.ts'
import type { HttpRequest, HttpResponse } from '#gateway/uWebSockets.ts'
import { addressOfBytes, createSockets, forwardedAddress, limitKey, type Sockets } from './sockets.ts'

const MINUTE_MS = 60_000

export interface RequestQuota {
  readonly allowed: boolean
  /** Requests per minute. */
  readonly limit: number
  readonly remaining: number
  /** The time until the count is reset, in whole seconds, at least 1. */
  readonly resetSeconds: number
}

export interface Admission {
  readonly sockets: Sockets
  readonly keys: ApiKeys
  /**
   * Whether an origin may open WebSockets and event streams, and read answers (CORS). `''`: the request has no `Origin`, so it is not from
   * a browser, and is allowed unless `REQUIRE_ORIGIN`. A key for pages is for pages of its own origins, a key for programs needs no origin.
   */
  originAllowed(origin: string, key: GrantedKey | null): boolean
  /** Whether pages of every origin may read, so that an answer need not say to which one it is. */
  readonly allowsAllOrigins: boolean
  /** Whether a page of the origin may send requests at all: a preflight does not say which key follows. */
  preflightAllowed(origin: string): boolean
  /** The client behind `TRUST_PROXY` proxies, and its key. Call it before the first await, which invalidates `req`. */
  client(res: HttpResponse, req: HttpRequest): Client
  openConnection(client: Client): ConnectionAdmission
  /** The numbers of WebSockets and event streams that `openConnection` has refused. */
  readonly refusedConnections: RefusedConnections
  /** Counts a request; `null`: there is no limit. */
  takeRequest(client: Client): RequestQuota | null
}

export type AdmissionConfig = Pick<
  Config,
  'allowedOrigins' | 'requireOrigin' | 'trustProxy' | 'rateLimitPerMinute' | 'maxConnections' | 'maxConnectionsPerIp' | 'apiKeys'
>

export interface AdmissionOptions {
  /** The process's limit of file descriptors. */
  readonly descriptors?: number
  /** Default `monotonicMs`. */
  readonly now?: () => number
}

/** The limits of this process. */
export function createAdmission(config: AdmissionConfig, logger: Logger, options: AdmissionOptions = {}): Admission {
  const allowed = originTest(config.allowedOrigins)
  const sockets = createSockets(config, logger, options)
  const connections = createConnectionLimit(sockets.maxRealtime, config.maxConnectionsPerIp)
  const keys = createApiKeys(config.apiKeys, { requestsPerMinute: config.rateLimitPerMinute, connections: config.maxConnectionsPerIp })
  const addressOf = clientAddressOf(config.trustProxy, logger)
  return {
    sockets,
    keys,
    originAllowed(origin, key) {
      if (key?.isForPages === true) return origin !== '' && key.allowsOrigin(origin)
      return origin === '' ? key !== null || !config.requireOrigin : allowed(origin)
    },
    allowsAllOrigins: config.allowedOrigins.includes('*'),
    preflightAllowed: origin => origin === '' || allowed(origin) || keys.someAllowsOrigin(origin),
    client: (res, req) => readClient(addressOf(res, req), req, keys),
    openConnection: connections.admit,
    refusedConnections: connections.refused,
    takeRequest: requestLimit(config.rateLimitPerMinute, options.now ?? monotonicMs),
  }
}

function clientAddressOf(trustProxy: number, logger: Logger): (res: HttpResponse, req: HttpRequest) => string {
  let warned = false
  return (res, req) => {
    const peer = addressOfBytes(new Uint8Array(res.getRemoteAddress()))
    const forwarded = forwardedFor(req)
    if (forwarded === '') return peer
    if (trustProxy > 0) return forwardedAddress(peer, forwarded, trustProxy)
    if (!warned) {
      warned = true
      logger.warn({ peer }, 'X-Forwarded-For is ignored because TRUST_PROXY is 0: behind a proxy all clients share its limits')
    }
    return peer
  }
}

/** Joins all lines of the header: some proxies add a line of their own, and the client may have made up the first one. */
function forwardedFor(req: HttpRequest): string {
  if (req.getHeader('x-forwarded-for') === '') return ''
  const lines: string[] = []
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') lines.push(value)
  })
  return lines.join(',')
}

function requestLimit(perMinuteAndAddress: number, now: () => number): Admission['takeRequest'] {
  const windows = perMinuteAndAddress === 0 ? null : createRequestWindows(MINUTE_MS)
  return ({ address, key }) => {
    const nowMs = now()
    const limit = key === null ? perMinuteAndAddress : key.limits.requestsPerMinute
    const counted = key === null ? windows?.count(address, nowMs) : key.countRequest(nowMs, MINUTE_MS)
    if (limit === 0 || counted === undefined) return null
    const { count, endsAtMs } = counted
    const resetSeconds = Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000))
    return { allowed: count <= limit, limit, remaining: Math.max(0, limit - count), resetSeconds }
  }
}

/** The sender of a request. */
export interface Client {
  /** The normalised IP address. */
  readonly address: string
  /** The given key, if it is in force; `null`: there is none. */
  readonly key: GrantedKey | null
  /** Where a key was given, whether or not it is in force. */
  readonly keyIn: 'header' | 'url' | 'nowhere'
}

/** The id by which limits are counted: that of the key, or else the address. */
export function clientId({ address, key }: Client): string {
  return key === null ? limitKey(address) : `key ${key.name}`
}

/**
 * Reads the first key that is given: `X-Api-Key`; `Authorization: Bearer` with a key that is in force, for programs that send no other
 * header; `apiKey` of the query, for browsers, whose WebSockets and `EventSource` send no header.
 */
function readClient(address: string, req: Pick<HttpRequest, 'getHeader' | 'getQuery'>, keys: ApiKeys): Client {
  if (!keys.areUsed) return { address, key: null, keyIn: 'nowhere' }
  const header = req.getHeader('x-api-key')
  if (header !== '') return { address, key: keys.find(header), keyIn: 'header' }
  const bearer = /^bearer +(\S+) *$/i.exec(req.getHeader('authorization'))?.[1]
  const ofBearer = bearer === undefined ? null : keys.find(bearer)
  if (ofBearer !== null) return { address, key: ofBearer, keyIn: 'header' }
  const [inUrl, ...more] = new URLSearchParams(req.getQuery() ?? '').getAll('apiKey')
  if (inUrl === undefined) return { address, key: null, keyIn: 'nowhere' }
  return { address, key: more.length === 0 ? keys.find(inUrl) : null, keyIn: 'url' }
}

/**
 * Clients share this many counters, so that no number of addresses can fill the memory. A client that shares a counter is refused early
 * only while the other client is near its limit.
 */
const BUCKETS = 2 ** 20

/** Counts the requests of clients in windows, which begin with a client's first request. */
export interface RequestWindows {
  /** @returns the requests of the window, and when it ends */
  count(address: string, nowMs: number): { readonly count: number; readonly endsAtMs: number }
}

/** Creates counters of 12 MiB. Their pages that no client uses take no memory. */
function createRequestWindows(windowMs: number): RequestWindows {
  const counts = new Int32Array(BUCKETS)
  const ends = new Float64Array(BUCKETS)
  /** A random part, so that an attacker can't find an address that shares a counter with a certain client. */
  const seed = randomUUID()
  const bucketOf = (address: string) => hash('sha1', seed + limitKey(address), 'buffer').readUInt32BE(0) % BUCKETS
  return {
    count: (address, nowMs) => {
      const bucket = bucketOf(address)
      const isOver = nowMs >= (ends[bucket] ?? 0)
      const count = (isOver ? 0 : (counts[bucket] ?? 0)) + 1
      const endsAtMs = isOver ? nowMs + windowMs : (ends[bucket] ?? 0)
      counts[bucket] = count
      ends[bucket] = endsAtMs
      return { count, endsAtMs }
    },
  }
}

/** The answer to a new connection. 429: this client has too many connections; 503: the process has too many. */
export type ConnectionAdmission = AdmittedConnection | { readonly kind: 'refused'; readonly status: 429 | 503 }

/** The numbers of refused connections by whose limit was reached. */
interface RefusedConnections {
  readonly client: number
  readonly process: number
}

export interface AdmittedConnection {
  readonly kind: 'admitted'
  /** To be called when the connection has closed, so that it no longer counts. Further calls do nothing. */
  release(): void
}

/** Open WebSockets and event streams. */
class OpenConnections {
  total = 0
  readonly ofClient = new Tally()

  add(id: string, key: GrantedKey | null, difference: 1 | -1): void {
    this.total += difference
    this.ofClient.add(id, difference)
    key?.connectionChanged(difference)
  }
}

export interface ConnectionLimit {
  admit(client: Client): ConnectionAdmission
  readonly refused: RefusedConnections
}

/** Admits WebSockets and event streams within the limits of the process, and of each client: those of its key, or else of its address. */
function createConnectionLimit(maxConnections: number, maxConnectionsPerIp: number): ConnectionLimit {
  const open = new OpenConnections()
  const refused = { client: 0, process: 0 }
  const refuse = ({ key }: Client, status: 429 | 503): ConnectionAdmission => {
    key?.connectionRefused()
    refused[status === 429 ? 'client' : 'process']++
    return { kind: 'refused', status }
  }
  return {
    admit(client) {
      const id = clientId(client)
      if (open.ofClient.of(id) >= (client.key?.limits.connections ?? maxConnectionsPerIp)) return refuse(client, 429)
      if (open.total >= maxConnections) return refuse(client, 503)
      return new CountedConnection(open, id, client.key)
    },
    refused,
  }
}

/** A counted connection. It is a class, since each open connection has one, and closures take three times the memory. */
class CountedConnection implements AdmittedConnection {
  readonly kind = 'admitted'
  readonly #open: OpenConnections
  readonly #id: string
  readonly #key: GrantedKey | null
  #isReleased = false

  constructor(open: OpenConnections, id: string, key: GrantedKey | null) {
    this.#open = open
    this.#id = id
    this.#key = key
    open.add(id, key, 1)
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#open.add(this.#id, this.#key, -1)
  }
}
