import type { Address } from '#domain/address.ts'
import type { Random } from './random.ts'

/** Tokens that are traded. A further launch replaces the one with the least heat. */
export const MAX_TOKENS = 150
/** Newest holders per token that may sell. Older ones keep their balance. */
const MAX_HOLDERS = 24

/** The launchpad of a token: the reference launchpad, the one whose curves take dollars, or the one of Uniswap v4. */
export type Venue = 'ether' | 'dollar' | 'v4'

export interface MarketToken {
  readonly address: Address
  readonly venue: Venue
  /** The currency that the token is paired with. */
  readonly quote: Address
  /** `null`: it trades in a pool from the start. */
  readonly curve: Address | null
  readonly creator: Address
  /** `complete`: the target is reached and the token has not graduated yet. */
  readonly phase: 'curve' | 'complete' | 'pool'
  /** The token's pool in Uniswap v3. */
  readonly pool: Address | null
  /** How often the token is traded, relative to others. */
  readonly heat: number
  /** Share of buys among its trades. */
  readonly mood: number
  /** Newest last. */
  readonly holders: readonly Address[]
}

/** A number of blocks in which most trades are of one token. */
export interface Burst {
  readonly token: Address
  readonly blocksLeft: number
}

/** The traders' knowledge, read from mined blocks, so that a failed trade changes nothing. */
export interface SimulatedMarket {
  readonly tokens: ReadonlyMap<Address, MarketToken>
  readonly burst: Burst | null
  /** Launched in the newest block. */
  readonly launched: readonly Address[]
}

export const EMPTY_MARKET: SimulatedMarket = { tokens: new Map(), burst: null, launched: [] }

/** An event of a mined block that the traders use. */
export type MarketEvent =
  | {
      readonly kind: 'launched'
      readonly token: Address
      readonly venue: Venue
      readonly quote: Address
      readonly curve: Address | null
      readonly creator: Address
    }
  | { readonly kind: 'completed'; readonly curve: Address }
  | { readonly kind: 'graduated'; readonly token: Address; readonly pool: Address }
  | { readonly kind: 'received'; readonly token: Address; readonly holder: Address }

/**
 * The market after a block. Heat and mood of a new token are drawn here, in chain order.
 *
 * @param canSell accounts that can sell; pools, curves and burn addresses receive tokens, too
 */
export function afterBlock(
  market: SimulatedMarket,
  events: readonly MarketEvent[],
  canSell: ReadonlySet<Address>,
  random: Random,
): SimulatedMarket {
  const tokens = new Map(market.tokens)
  // In a launch the first buy comes before the launch event, so launches are added first.
  for (const event of events) {
    if (event.kind === 'launched') tokens.set(event.token, newToken(event, random))
  }
  for (const event of events) {
    const token = find(tokens, event)
    if (event.kind === 'received' && !canSell.has(event.holder)) continue
    if (token !== undefined) tokens.set(token.address, changed(token, event))
  }
  evict(tokens)
  const launched = events.flatMap(event => (event.kind === 'launched' && tokens.has(event.token) ? event.token : []))
  return { tokens, burst: nextBurst(market.burst, tokens, random), launched }
}

function newToken(event: MarketEvent & { kind: 'launched' }, random: Random): MarketToken {
  return {
    address: event.token,
    venue: event.venue,
    quote: event.quote,
    curve: event.curve,
    creator: event.creator,
    phase: event.curve === null ? 'pool' : 'curve',
    pool: null,
    heat: random.spread(0.05, 5),
    mood: 0.45 + random.unit() * 0.25,
    holders: [],
  }
}

function find(tokens: ReadonlyMap<Address, MarketToken>, event: MarketEvent): MarketToken | undefined {
  if ('token' in event) return tokens.get(event.token)
  for (const token of tokens.values()) if (token.curve === event.curve) return token
  return undefined
}

function changed(token: MarketToken, event: MarketEvent): MarketToken {
  switch (event.kind) {
    case 'launched':
      return token
    case 'received':
      return { ...token, holders: withHolder(token.holders, event.holder) }
    case 'completed':
      return { ...token, phase: 'complete' }
    case 'graduated':
      // Graduation attracts trades, and many holders sell.
      return { ...token, phase: 'pool', pool: event.pool, heat: token.heat + 2, mood: 0.5 }
  }
}

function withHolder(holders: readonly Address[], holder: Address): readonly Address[] {
  return holders.includes(holder) ? holders : [...holders, holder].slice(-MAX_HOLDERS)
}

function evict(tokens: Map<Address, MarketToken>): void {
  while (tokens.size > MAX_TOKENS) {
    const coldest = [...tokens.values()].reduce((a, b) => (b.heat < a.heat ? b : a))
    tokens.delete(coldest.address)
  }
}

function nextBurst(burst: Burst | null, tokens: ReadonlyMap<Address, MarketToken>, random: Random): Burst | null {
  const canBurst = ({ phase, curve }: MarketToken) => phase === 'curve' || curve === null
  const current = burst === null ? undefined : tokens.get(burst.token)
  if (burst !== null && burst.blocksLeft > 1 && current !== undefined && canBurst(current)) {
    return { ...burst, blocksLeft: burst.blocksLeft - 1 }
  }
  const candidates = [...tokens.values()].filter(canBurst)
  if (candidates.length === 0 || !random.chance(0.06)) return null
  const chosen = candidates[random.weighted(candidates.map(token => token.heat))]
  return chosen === undefined ? null : { token: chosen.address, blocksLeft: random.integer(8, 24) }
}
