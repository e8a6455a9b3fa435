import { hash, randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '#config'
import { addressOfBytes, forwardedAddress, limitKey } from './clientAddress.ts'
import { originTest } from './originPattern.ts'
import { createSockets, type Sockets } from './sockets.ts'
import type { HttpRequest, HttpResponse } from './uWebSockets.ts'

const MINUTE_SECONDS = 60

/** Clients share this many counters, so that a flood of addresses can't fill the memory: 25 MB when all are in use. */
const RATE_BUCKETS = 65_536

export interface RequestQuota {
  readonly allowed: boolean
  /** Requests per minute. */
  readonly limit: number
  readonly remaining: number
  /** Whole seconds, at least 1, until the count is reset. */
  readonly resetSeconds: number
}

/** 429: this client has too many connections; 503: the process has. */
export type ConnectionAdmission = Place | { readonly ok: false; readonly status: 429 | 503 }

export interface Place {
  readonly ok: true
  /** Gives the place back. Further calls do nothing. */
  release(): void
}

export interface Admission {
  readonly sockets: Sockets
  /** For WebSockets, event streams and CORS. Empty: no header, which browsers always send; allowed unless `REQUIRE_ORIGIN`. */
  originAllowed(origin: string): boolean
  /** The client's normalised IP address, behind `TRUST_PROXY` proxies. Call it before the first await, which invalidates `req`. */
  clientAddress(res: HttpResponse, req: HttpRequest): string
  openConnection(address: string): ConnectionAdmission
  takeRequest(address: string): Promise<RequestQuota | null>
}

export type AdmissionConfig = Pick<
  Config,
  'allowedOrigins' | 'requireOrigin' | 'trustProxy' | 'rateLimitPerMinute' | 'maxConnections' | 'maxConnectionsPerIp'
>

export function createAdmission(config: AdmissionConfig, logger: Logger, descriptors?: number): Admission {
  const allowed = originTest(config.allowedOrigins)
  const sockets = createSockets(config, logger, descriptors)
  return {
    sockets,
    originAllowed: origin => (origin === '' ? !config.requireOrigin : allowed(origin)),
    clientAddress: clientAddressOf(config.trustProxy, logger),
    openConnection: connectionLimit(sockets.maxRealtime, config.maxConnectionsPerIp),
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

/** All lines of the header: some proxies add a line of their own, and the first one may be the client's invention. */
function forwardedFor(req: HttpRequest): string {
  if (req.getHeader('x-forwarded-for') === '') return ''
  const lines: string[] = []
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') lines.push(value)
  })
  return lines.join(',')
}

function connectionLimit(maxConnections: number, maxConnectionsPerIp: number) {
  const clients = new Map<string, { readonly key: string; open: number }>()
  let total = 0
  return (address: string): ConnectionAdmission => {
    const key = limitKey(address)
    const client = clients.get(key) ?? { key, open: 0 }
    if (client.open >= maxConnectionsPerIp) return { ok: false, status: 429 }
    if (total >= maxConnections) return { ok: false, status: 503 }
    clients.set(key, client)
    client.open++
    total++
    let isReleased = false
    return {
      ok: true,
      release() {
        if (isReleased) return
        isReleased = true
        total--
        client.open--
        if (client.open === 0) clients.delete(client.key)
      },
    }
  }
}

function requestLimit(limit: number): Admission['takeRequest'] {
  if (limit === 0) return async () => null
  const limiter = new RateLimiterMemory({ points: limit, duration: MINUTE_SECONDS, keyPrefix: '' })
  const seed = randomUUID()
  return async address => {
    // The seed keeps an attacker from finding an address that shares a counter with a certain client.
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
