import { Resolver } from 'node:dns/promises'
import { isPublicAddress } from './publicAddress.ts'

export const FETCH_LIMITS = {
  /** For the connection, TLS included. */
  connectMs: 5_000,
  /** For the response's headers. */
  firstByteMs: 10_000,
  /** For everything, redirects included. */
  wholeMs: 15_000,
  /** Of the body, before and after it is unpacked. */
  maxBytes: 262_144,
  maxRedirects: 3,
}

export type FetchLimits = Readonly<typeof FETCH_LIMITS>

/** How requests for creators' URLs are sent. */
export interface Outbound {
  resolve(host: string): Promise<readonly string[]>
  isPublic(address: string): boolean
  /** The ports that URLs may name. */
  readonly ports: { readonly https: number; readonly http: number }
  readonly limits: FetchLimits
  /** Certificate authorities in place of Node's own. */
  readonly ca?: string
}

/**
 * Sends requests only to public addresses, which it finds by DNS queries. The system's lookup would occupy libuv's few threads, and knows
 * private names.
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
