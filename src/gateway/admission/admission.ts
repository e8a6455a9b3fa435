import type { Logger } from 'pino'
import { monotonicMs } from '#clock'
import type { Config } from '#config'
import { type ApiKeys, createApiKeys } from '#gateway/keys/apiKeys.ts'
import type { GrantedKey } from '#gateway/keys/grantedKey.ts'
import type { HttpRequest, HttpResponse } from '#gateway/uWebSockets.ts'
import { type Client, readClient } from './client.ts'
import { addressOfBytes, forwardedAddress } from './clientAddress.ts'
import { type ConnectionAdmission, createConnectionLimit, type RefusedConnections } from './connectionLimit.ts'
import { originTest } from './originPattern.ts'
import { createRequestWindows } from './requestWindows.ts'
import { createSockets, type Sockets } from './sockets.ts'

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
