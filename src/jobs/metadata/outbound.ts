import { Resolver } from 'node:dns/promises'
import { isPublicAddress } from './publicAddress.ts'

export interface FetchLimits {
  /** For the connection, TLS included. */
  readonly connectMs: number
  /** For the response's headers. */
  readonly firstByteMs: number
  /** For everything, redirects included. */
  readonly wholeMs: number
  /** Of the body, before and after it is unpacked. */
  readonly mostBytes: number
  readonly mostRedirects: number
}

/** How requests for creators' URLs are sent. */
export interface Outbound {
  /** Every address of a host. */
  resolve(host: string): Promise<readonly string[]>
  /** Whether a host may have this address. */
  isPublic(address: string): boolean
  /** The ports that URLs may name. */
  readonly ports: { readonly https: number; readonly http: number }
  readonly limits: FetchLimits
  /** Certificate authorities in place of Node's own. */
  readonly ca?: string
}

export const FETCH_LIMITS: FetchLimits = {
  connectMs: 5_000,
  firstByteMs: 10_000,
  wholeMs: 15_000,
  mostBytes: 262_144,
  mostRedirects: 3,
}

/** To public addresses only, by DNS queries. The system's lookup would occupy libuv's few threads, and knows private names. */
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
