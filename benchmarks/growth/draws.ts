import { addressOf } from './hex.ts'
import type { Random } from './random.ts'
import type { GrowthScale } from './scale.ts'

/** One request of the load. `list`: its answer may have a `nextCursor` for another request. */
export interface LoadRequest {
  readonly route: string
  readonly path: string
  readonly list: boolean
}

/** A route, or a kind of its requests after a comma, with its share of all requests. */
export interface LoadRoute {
  readonly route: string
  readonly share: number
  /** Server-sent events, answered with the first state. Default: a response that ends. */
  readonly stream?: boolean
  /** Answered with megabytes. Default: not. */
  readonly bulk?: boolean
  readonly make: (scale: GrowthScale, random: Random) => LoadRequest
}

export type Parameters = Readonly<Record<string, string | number | undefined>>

/** A wallet that holds every second token. */
export const COLLECTOR = addressOf('contract', 50)

/** Half of the requests are for the ten busiest tokens, the rest for all. */
export function drawRank(scale: GrowthScale, random: Random): number {
  return random.chance(0.5) ? random.integer(0, 9) : Math.floor(random.spread(1, scale.tokens)) % scale.tokens
}

export function drawToken(scale: GrowthScale, random: Random): string {
  return addressOf('token', drawRank(scale, random))
}

/** Usually an address that has traded the token; see the generator. */
export function drawMaker({ wallets }: GrowthScale, rank: number, random: Random): string {
  return addressOf('wallet', (rank * 7_919 + random.integer(0, 50) * 104_729) % wallets)
}

/** Every tenth is the collector. */
export function drawWallet(scale: GrowthScale, random: Random): string {
  return random.chance(0.1) ? COLLECTOR : drawMaker(scale, drawRank(scale, random), random)
}

export function pick<T>(list: readonly T[], random: Random): T {
  return list[random.integer(0, list.length - 1)] as T
}

/** Up to so many different values, as a comma list. */
export function severalOf(most: number, random: Random, draw: () => string): string {
  return [...new Set(Array.from({ length: random.integer(1, most) }, draw))].join(',')
}

export function withQuery(path: string, parameters: Parameters): string {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
  return given.length === 0 ? path : `${path}?${given.join('&')}`
}
