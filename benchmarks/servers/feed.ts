import type { Address } from '#domain/address.ts'
import type { Token, TokenSnapshot } from '#domain/token.ts'
import { addressOf, holdersOf, snapshotOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'

/** More tokens than a feed may have. */
const MAX_TOKENS = 10_000
const FIRST_SEQUENCE = 1_795_000_000_000
const FIRST_TOKEN = 0x1_0000

/** USD per ETH in all processes, so that the frames have their USD values. */
export const ETH_USD = '3012.44'

/** `small`: about 1.7 KB, a token that nobody has bought yet. `large`: just under 16 KB, 20 holders and a creator who wrote as much as there is room for. */
export type UpdateSize = 'small' | 'large'

/** Blocks of the feed, for every server the same. */
export interface FeedBlocks {
  readonly firstBlock: number
  readonly blocks: number
  /** How many tokens a block touches, of how many: they take turns. */
  readonly touched: number
  readonly tokens: number
  readonly size: UpdateSize
}

/** The n-th token of the feed. */
export function feedToken(index: number): Address {
  return addressOf(FIRST_TOKEN + index)
}

/** What every server sends as its n-th block: each touched token in a newer state. A sequence says both block and token. */
export function feedBlock(block: number, { touched, tokens, size }: Omit<FeedBlocks, 'firstBlock' | 'blocks'>): readonly TokenSnapshot[] {
  return touchedTokens(block, touched, tokens).map((index, logIndex) => {
    const token = feedToken(index)
    const state = snapshotOf(token, feedSequence(block, index), { asOfBlock: String(1_000 + block), ...text(size) })
    const latestTrade = { ...tradeOf(token), blockNumber: String(1_000 + block), logIndex }
    return size === 'small' ? { ...state, latestTrade: null, holders: [] } : { ...state, latestTrade, holders: holdersOf(20) }
  })
}

/** The tokens of a block, as indexes: one run of neighbours after the other. */
export function touchedTokens(block: number, touched: number, tokens: number): readonly number[] {
  return Array.from({ length: touched }, (_, index) => (block * touched + index) % tokens)
}

export function feedSequence(block: number, token: number): number {
  return FIRST_SEQUENCE + block * MAX_TOKENS + token
}

/** Which block and token a sequence of the feed belongs to. */
export function feedPosition(sequence: number): { readonly block: number; readonly token: number } {
  const offset = sequence - FIRST_SEQUENCE
  return { block: Math.floor(offset / MAX_TOKENS), token: offset % MAX_TOKENS }
}

/** What is indexed before the first block: event streams are of indexed tokens only. */
export function storedTokens(tokens: number): readonly Token[] {
  return Array.from({ length: tokens }, (_, index) => tokenOf(feedToken(index), FIRST_SEQUENCE))
}

const LARGE_TEXT = 10_300

function text(size: UpdateSize): Partial<Token> {
  return size === 'small'
    ? { metadataUri: null }
    : { description: 'All that there is to say of a token. '.repeat(300).slice(0, LARGE_TEXT) }
}
