import { Resolver } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isPublicAddress } from './publicAddress.ts'

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
