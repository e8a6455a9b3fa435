import { hash, randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '#config'
import { addressOfBytes, forwardedAddress, limitKey } from './clientAddress.ts'
import { originTest } from './originPattern.ts'
import type { HttpRequest, HttpResponse } from './uWebSockets.ts'

const MINUTE_SECONDS = 60

/** Clients are counted in this many buckets, so that a flood of addresses can't fill the memory: 25 MB when all of them are in use. */
const RATE_BUCKETS = 65_536

/** When to come back after a refused connection: others leave all the time, but not at once. */
const CONNECTION_RETRY_SECONDS = 10

/** How a client stands against `RATE_LIMIT_PER_MINUTE`. */
export interface RequestQuota {
  readonly allowed: boolean
  /** Requests per minute. */
  readonly limit: number
  readonly remaining: number
  /** Whole seconds, at least 1, until the count starts anew. */
  readonly resetSeconds: number
}

/** `429`: this client has too many; `503`: the process has. */
export type ConnectionAdmission = Place | { readonly ok: false; readonly status: 429 | 503; readonly retryAfterSeconds: number }

/** One connection's among those that may be open. */
export interface Place {
  readonly ok: true
  /** Gives it back; does nothing when called again. */
  release(): void
}

/** Who may come in, and how much of it. */
export interface Admission {
  /**
   * Whether a request with this `Origin` header may open a WebSocket or an event stream or read an answer from a browser. An empty text stands for
   * no header, which no browser sends: allowed unless `REQUIRE_ORIGIN`.
   */
  originAllowed(origin: string): boolean
  /** The client's IP address in one spelling, behind `TRUST_PROXY` proxies. Call it before the first await: `req` dies there. */
  clientAddress(res: HttpResponse, req: HttpRequest): string
  /** Takes a place for a WebSocket or an event stream; `release` gives it back, and does nothing when called again. */
  openConnection(address: string): ConnectionAdmission
  /** Counts a REST request; `null` when there is no limit. */
  takeRequest(address: string): Promise<RequestQuota | null>
}

export type AdmissionConfig = Pick<
  Config,
  'allowedOrigins' | 'requireOrigin' | 'trustProxy' | 'rateLimitPerMinute' | 'maxConnections' | 'maxConnectionsPerIp'
>

export function createAdmission(config: AdmissionConfig, logger: Logger): Admission {
  const allowed = originTest(config.allowedOrigins)
  return {
    originAllowed: origin => (origin === '' ? !config.requireOrigin : allowed(origin)),
    clientAddress: clientAddressOf(config.trustProxy, logger),
    openConnection: connectionLimit(config),
    takeRequest: requestLimit(config.rateLimitPerMinute),
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

/** All lines of the header: some proxies add a line of their own, and the first one is then the client's invention. */
function forwardedFor(req: HttpRequest): string {
  if (req.getHeader('x-forwarded-for') === '') return ''
  const lines: string[] = []
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') lines.push(value)
  })
  return lines.join(',')
}

function connectionLimit(config: Pick<Config, 'maxConnections' | 'maxConnectionsPerIp'>): Admission['openConnection'] {
  const open = new OpenConnections()
  return address => {
    const key = limitKey(address)
    if (open.of(key) >= config.maxConnectionsPerIp) return { ok: false, status: 429, retryAfterSeconds: CONNECTION_RETRY_SECONDS }
    if (open.total >= config.maxConnections) return { ok: false, status: 503, retryAfterSeconds: CONNECTION_RETRY_SECONDS }
    return open.add(key)
  }
}

/** How many connections are open, in all and per client. */
class OpenConnections {
  readonly #byKey = new Map<string, { readonly key: string; open: number }>()
  total = 0

  of(key: string): number {
    return this.#byKey.get(key)?.open ?? 0
  }

  add(key: string): Place {
    const ofKey = this.#byKey.get(key) ?? { key, open: 0 }
    if (ofKey.open === 0) this.#byKey.set(key, ofKey)
    ofKey.open++
    this.total++
    // Places of one client share its text.
    return new TakenPlace(this, ofKey.key)
  }

  remove(key: string): void {
    const ofKey = this.#byKey.get(key)
    if (ofKey === undefined) return
    this.total--
    ofKey.open--
    if (ofKey.open === 0) this.#byKey.delete(key)
  }
}

class TakenPlace implements Place {
  readonly ok = true
  readonly #open: OpenConnections
  #key: string | null

  constructor(open: OpenConnections, key: string) {
    this.#open = open
    this.#key = key
  }

  release(): void {
    if (this.#key !== null) this.#open.remove(this.#key)
    this.#key = null
  }
}

function requestLimit(limit: number): Admission['takeRequest'] {
  if (limit === 0) return async () => null
  const limiter = new RateLimiterMemory({ points: limit, duration: MINUTE_SECONDS, keyPrefix: '' })
  const seed = randomUUID()
  return async address => {
    // The seed keeps a stranger from finding an address that shares a bucket with a certain client's.
    const bucket = hash('sha1', seed + limitKey(address), 'buffer').readUInt32BE(0) % RATE_BUCKETS
    const [allowed, result] = await limiter.consume(bucket).then(
      taken => [true, taken] as const,
      (refused: unknown) => {
        if (refused instanceof RateLimiterRes) return [false, refused] as const
        throw refused
      },
    )
    return { allowed, limit, remaining: result.remainingPoints, resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1_000)) }
  }
}
