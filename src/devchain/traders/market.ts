import type { Address } from '#domain/address.ts'
import type { Random } from './random.ts'

/** Tokens that traders care about; launches beyond it push the coldest out, which then fall silent. */
export const MAX_TOKENS = 150
/** Holders remembered per token, the newest; others keep what they have. */
const MAX_HOLDERS = 24

export interface MarketToken {
  readonly address: Address
  readonly curve: Address
  readonly creator: Address
  /** `complete`: the target is reached and nobody has graduated it yet. */
  readonly phase: 'curve' | 'complete' | 'pool'
  readonly pool: Address | null
  /** How often it is traded, relative to others. */
  readonly heat: number
  /** The share of its trades that are buys. */
  readonly mood: number
  /** Newest last. */
  readonly holders: readonly Address[]
}

/** A stretch of blocks in which everybody trades one token. */
export interface Burst {
  readonly token: Address
  readonly blocksLeft: number
}

/** What the traders know: all of it read from mined blocks, so that a trade that failed changes nothing. */
export interface Market {
  readonly tokens: ReadonlyMap<Address, MarketToken>
  readonly burst: Burst | null
}

export const EMPTY_MARKET: Market = { tokens: new Map(), burst: null }

/** What a mined block says, as far as traders care. */
export type MarketEvent =
  | { readonly kind: 'launched'; readonly token: Address; readonly curve: Address; readonly creator: Address }
  | { readonly kind: 'completed'; readonly curve: Address }
  | { readonly kind: 'graduated'; readonly token: Address; readonly pool: Address }
  | { readonly kind: 'received'; readonly token: Address; readonly holder: Address }

/**
 * The market after a block. A new token's temper is drawn here, in the order of the chain.
 *
 * @param canSell who may be remembered as a holder: not the pools, curves and burn addresses that receive tokens too
 */
export function afterBlock(market: Market, events: readonly MarketEvent[], canSell: ReadonlySet<Address>, random: Random): Market {
  const tokens = new Map(market.tokens)
  // In a launch the first buy comes before the announcement: the token must be known first.
  for (const event of events) {
    if (event.kind === 'launched') tokens.set(event.token, newToken(event, random))
  }
  for (const event of events) {
    const token = find(tokens, event)
    if (event.kind === 'received' && !canSell.has(event.holder)) continue
    if (token !== undefined) tokens.set(token.address, changed(token, event))
  }
  evict(tokens)
  return { tokens, burst: nextBurst(market.burst, tokens, random) }
}

function newToken(event: MarketEvent & { kind: 'launched' }, random: Random): MarketToken {
  return {
    address: event.token,
    curve: event.curve,
    creator: event.creator,
    phase: 'curve',
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
      // Graduation is news: the token is hot again, and those who wanted out sell.
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
  if (burst !== null && burst.blocksLeft > 1 && tokens.get(burst.token)?.phase === 'curve') {
    return { ...burst, blocksLeft: burst.blocksLeft - 1 }
  }
  const candidates = [...tokens.values()].filter(token => token.phase === 'curve')
  if (candidates.length === 0 || !random.chance(0.06)) return null
  const chosen = candidates[random.weighted(candidates.map(token => token.heat))]
  return chosen === undefined ? null : { token: chosen.address, blocksLeft: random.integer(8, 24) }
}
