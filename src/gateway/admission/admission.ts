import type { Logger } from 'pino'
import { monotonicMs } from '#clock'
import type { Config } from '#config'
import { Tally } from '#domain/tally.ts'
import { type ApiKeys, createApiKeys } from '#gateway/keys/apiKeys.ts'
import type { GrantedKey } from '#gateway/keys/grantedKey.ts'
import type { HttpRequest, HttpResponse } from '#gateway/uWebSockets.ts'
import { type Client, clientId, readClient } from './client.ts'
import { addressOfBytes, forwardedAddress } from './clientAddress.ts'
import { originTest } from './originPattern.ts'
import { createRequestWindows } from './requestWindows.ts'
import { createSockets, type Sockets } from './sockets.ts'

const MINUTE_MS = 60_000

export interface RequestQuota {
  readonly allowed: boolean
  /** Requests per minute. */
  readonly limit: number
  readonly remaining: number
  /** Whole seconds, at least 1, until the count is reset. */
  readonly resetSeconds: number
}

/** 429: this client has too many connections; 503: the process has too many. */
export type ConnectionAdmission = AdmittedConnection | { readonly kind: 'refused'; readonly status: 429 | 503 }

export interface RefusedConnections {
  readonly client: number
  readonly process: number
}

export interface AdmittedConnection {
  readonly kind: 'admitted'
  /** To be called when the connection has closed, so that it no longer counts. Further calls do nothing. */
  release(): void
}

export interface Admission {
  readonly sockets: Sockets
  readonly keys: ApiKeys
  /**
   * For WebSockets, event streams and CORS. `''`: no header, so not from a browser; allowed unless `REQUIRE_ORIGIN`. A key for pages is
   * allowed to pages of its own origins only, and a key for programs needs no origin.
   */
  originAllowed(origin: string, key: GrantedKey | null): boolean
  /** Whether a page of the origin may send requests at all: a preflight does not say which key follows. */
  preflightAllowed(origin: string): boolean
  /** The client behind `TRUST_PROXY` proxies, and its key. Call it before the first await, which invalidates `req`. */
  client(res: HttpResponse, req: HttpRequest): Client
  openConnection(client: Client): ConnectionAdmission
  /** WebSockets and event streams that `openConnection` has refused, by whose limit it was. */
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
  const refusedConnections = { client: 0, process: 0 }
  const keys = createApiKeys(config.apiKeys, { requestsPerMinute: config.rateLimitPerMinute, connections: config.maxConnectionsPerIp })
  const addressOf = clientAddressOf(config.trustProxy, logger)
  return {
    sockets,
    keys,
    originAllowed(origin, key) {
      if (key?.isForPages === true) return origin !== '' && key.allowsOrigin(origin)
      return origin === '' ? key !== null || !config.requireOrigin : allowed(origin)
    },
    preflightAllowed: origin => origin === '' || allowed(origin) || keys.someAllowsOrigin(origin),
    client: (res, req) => readClient(addressOf(res, req), req, keys),
    openConnection: connectionLimit(sockets.maxRealtime, config.maxConnectionsPerIp, refusedConnections),
    refusedConnections,
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

/** All lines of the header: some proxies add a line of their own, and the first one may be the client's invention. */
function forwardedFor(req: HttpRequest): string {
  if (req.getHeader('x-forwarded-for') === '') return ''
  const lines: string[] = []
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') lines.push(value)
  })
  return lines.join(',')
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

function connectionLimit(maxConnections: number, maxConnectionsPerIp: number, refused: { client: number; process: number }) {
  const open = new OpenConnections()
  const refuse = ({ key }: Client, status: 429 | 503): ConnectionAdmission => {
    key?.connectionRefused()
    refused[status === 429 ? 'client' : 'process']++
    return { kind: 'refused', status }
  }
  return (client: Client): ConnectionAdmission => {
    const id = clientId(client)
    if (open.ofClient.of(id) >= (client.key?.limits.connections ?? maxConnectionsPerIp)) return refuse(client, 429)
    if (open.total >= maxConnections) return refuse(client, 503)
    return new CountedConnection(open, id, client.key)
  }
}

/** A class, since each connection holds one for as long as it is open: closures take three times the memory. */
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
