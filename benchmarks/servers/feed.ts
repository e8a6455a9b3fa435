import type { Address } from '#domain/address.ts'
import type { Token, TokenSnapshot } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { addressOf, holdersOf, recentOf, snapshotOf, tradeOf } from '#test/support/snapshots.ts'
import { quietState, tradedState } from './marketState.ts'

/** Upper bound of a feed's tokens. */
const MAX_TOKENS = 10_000
const FIRST_SEQUENCE = 1_795_000_000_000
const FIRST_TOKEN = 0x1_0000

/** USD per ETH, the same in all processes, so that frames have USD values. */
export const ETH_USD = '3012.44'

/**
 * `small`: about 2 KB, a token without trades. `large`: just under 16 KB, 20 holders and texts as long as they may be. `quiet` and
 * `traded`: about 2 and 8 KB, of which each block changes what blocks of a market do.
 */
export type UpdateSize = 'small' | 'large' | 'quiet' | 'traded'

/** Blocks of the feed, the same for every server. */
export interface FeedBlocks {
  readonly firstBlock: number
  readonly blocks: number
  /** How many of the `tokens` a block touches; the tokens take turns. */
  readonly touched: number
  readonly tokens: number
  readonly size: UpdateSize
}

/** The n-th token of the feed. */
export function feedToken(index: number): Address {
  return addressOf(FIRST_TOKEN + index)
}

/** What every server sends as its n-th block: a newer state of each touched token. The sequence encodes block and token. */
export function feedBlock(block: number, { touched, tokens, size }: Omit<FeedBlocks, 'firstBlock' | 'blocks'>): readonly TokenSnapshot[] {
  return touchedTokens(block, touched, tokens).map((index, logIndex) => {
    const token = feedToken(index)
    const state = snapshotOf(token, feedSequence(block, index), { asOfBlock: String(1_000 + block), ...text(size) })
    const trade = { ...tradeOf(token), blockNumber: String(1_000 + block), logIndex }
    return STATES[size](state, trade, block)
  })
}

const STATES: Readonly<Record<UpdateSize, (state: TokenSnapshot, trade: Trade, block: number) => TokenSnapshot>> = {
  small: state => ({ ...state, recent: recentOf([]), holders: [] }),
  large: (state, trade) => ({ ...state, recent: recentOf([trade]), holders: holdersOf(20) }),
  quiet: (state, _, block) => quietState(state, block),
  traded: tradedState,
}

/** The tokens of a block as indexes: consecutive tokens, which continue where the previous block ended. */
function touchedTokens(block: number, touched: number, tokens: number): readonly number[] {
  return Array.from({ length: touched }, (_, index) => (block * touched + index) % tokens)
}

export function feedSequence(block: number, token: number): number {
  return FIRST_SEQUENCE + block * MAX_TOKENS + token
}

/** The block and token of a sequence of the feed. */
export function feedPosition(sequence: number): { readonly block: number; readonly token: number } {
  const offset = sequence - FIRST_SEQUENCE
  return { block: Math.floor(offset / MAX_TOKENS), token: offset % MAX_TOKENS }
}

const LARGE_TEXT = 10_300

function text(size: UpdateSize): Partial<Token> {
  return size === 'large'
    ? { description: 'All that there is to say of a token. '.repeat(300).slice(0, LARGE_TEXT) }
    : { metadataUri: null }
}
