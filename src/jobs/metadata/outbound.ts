import { Resolver } from 'node:dns/promises'
import { isPublicAddress } from './publicAddress.ts'

export interface FetchLimits {
  /** Until the connection stands, TLS included. */
  readonly connectMs: number
  /** Until the answer's headers are there. */
  readonly firstByteMs: number
  /** For all of it, redirects included. */
  readonly wholeMs: number
  /** Of the body, as it is sent and as it is unpacked. */
  readonly mostBytes: number
  readonly mostRedirects: number
}

/** How requests leave this machine. */
export interface Outbound {
  /** Every address of a creator's host. */
  resolve(host: string): Promise<readonly string[]>
  /** Whether a creator's host may have this address. */
  isPublic(address: string): boolean
  /** The ports that creators' URLs may name. */
  readonly ports: { readonly https: number; readonly http: number }
  readonly limits: FetchLimits
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string
}

export const FETCH_LIMITS: FetchLimits = {
  connectMs: 5_000,
  firstByteMs: 10_000,
  wholeMs: 15_000,
  mostBytes: 262_144,
  mostRedirects: 3,
}

/** To the public internet by DNS alone, in queries of our own: the system's look-up would block its few threads, and knows names that are private. */
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
