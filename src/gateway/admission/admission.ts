import type { Logger } from 'pino'
import { Tally } from '#actors/states/tally.ts'
import { monotonicMs } from '#clock'
import type { Config } from '#config'
import type { HttpRequest, HttpResponse } from '#gateway/uWebSockets.ts'
import { addressOfBytes, forwardedAddress, limitKey } from './clientAddress.ts'
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
export type ConnectionAdmission = AdmittedConnection | { readonly ok: false; readonly status: 429 | 503 }

export interface AdmittedConnection {
  readonly ok: true
  /** To be called when the connection has closed, so that it no longer counts. Further calls do nothing. */
  release(): void
}

export interface Admission {
  readonly sockets: Sockets
  /** For WebSockets, event streams and CORS. `''`: no header, so not from a browser; allowed unless `REQUIRE_ORIGIN`. */
  originAllowed(origin: string): boolean
  /** The client's normalised IP address, behind `TRUST_PROXY` proxies. Call it before the first await, which invalidates `req`. */
  clientAddress(res: HttpResponse, req: HttpRequest): string
  openConnection(address: string): ConnectionAdmission
  takeRequest(address: string): RequestQuota | null
}

export type AdmissionConfig = Pick<
  Config,
  'allowedOrigins' | 'requireOrigin' | 'trustProxy' | 'rateLimitPerMinute' | 'maxConnections' | 'maxConnectionsPerIp'
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
  return {
    sockets,
    originAllowed: origin => (origin === '' ? !config.requireOrigin : allowed(origin)),
    clientAddress: clientAddressOf(config.trustProxy, logger),
    openConnection: connectionLimit(sockets.maxRealtime, config.maxConnectionsPerIp),
    takeRequest: requestLimit(config.rateLimitPerMinute, options.now ?? monotonicMs),
  }
}

function clientAddressOf(trustProxy: number, logger: Logger): Admission['clientAddress'] {
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

  add(client: string, difference: 1 | -1): void {
    this.total += difference
    this.ofClient.add(client, difference)
  }
}

function connectionLimit(maxConnections: number, maxConnectionsPerIp: number) {
  const open = new OpenConnections()
  return (address: string): ConnectionAdmission => {
    const client = limitKey(address)
    if (open.ofClient.of(client) >= maxConnectionsPerIp) return { ok: false, status: 429 }
    if (open.total >= maxConnections) return { ok: false, status: 503 }
    return new CountedConnection(open, client)
  }
}

/** A class, since each connection holds one for as long as it is open: closures take three times the memory. */
class CountedConnection implements AdmittedConnection {
  readonly ok = true
  readonly #open: OpenConnections
  readonly #client: string
  #isReleased = false

  constructor(open: OpenConnections, client: string) {
    this.#open = open
    this.#client = client
    open.add(client, 1)
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#open.add(this.#client, -1)
  }
}

function requestLimit(limit: number, now: () => number): Admission['takeRequest'] {
  if (limit === 0) return () => null
  const windows = createRequestWindows(MINUTE_MS)
  return address => {
    const nowMs = now()
    const { count, endsAtMs } = windows.count(address, nowMs)
    const resetSeconds = Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000))
    return { allowed: count <= limit, limit, remaining: Math.max(0, limit - count), resetSeconds }
  }
}
