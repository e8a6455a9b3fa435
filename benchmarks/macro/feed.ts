import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#domain/token.ts'
import { addressOf, snapshotOf, tradeOf } from '#test/support/snapshots.ts'

/** More tokens than a block of the feed may touch. */
const MAX_TOKENS = 1_000
const FIRST_SEQUENCE = 1_795_000_000_000
const FIRST_TOKEN = 0x100

/** USD per ETH in all processes, so that the frames have their USD values. */
export const ETH_USD = '3012.44'

/** The n-th token of the feed. */
export function feedToken(index: number): Address {
  return addressOf(FIRST_TOKEN + index)
}

/** What every server sends as its n-th block: each of the first tokens in a newer state. A sequence says both block and token. */
export function feedBlock(block: number, tokens: number): readonly TokenSnapshot[] {
  return Array.from({ length: tokens }, (_, index) => {
    const token = feedToken(index)
    const state = snapshotOf(token, feedSequence(block, index), { asOfBlock: String(1_000 + block) })
    return { ...state, latestTrade: { ...tradeOf(token), blockNumber: String(1_000 + block), logIndex: index }, holders: [] }
  })
}

export function feedSequence(block: number, token: number): number {
  return FIRST_SEQUENCE + block * MAX_TOKENS + token
}

/** Which block and token a sequence of the feed belongs to. */
export function feedPosition(sequence: number): { readonly block: number; readonly token: number } {
  const offset = sequence - FIRST_SEQUENCE
  return { block: Math.floor(offset / MAX_TOKENS), token: offset % MAX_TOKENS }
}
