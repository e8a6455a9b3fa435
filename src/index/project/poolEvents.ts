import type { Hex } from '#domain/address.ts'
import type { TokenEvent, TokenEventOf } from '#launchpads/tokenEvent.ts'
import type { PoolRow } from '#tables/pool.ts'
import { currentPool, type Draft, type Mutable, type TokenDraft } from './draft.ts'

/** A new pool begins with the log that announces it, or with an earlier log of the pool in the same block (`noteEarlierLog`). */
export function noteCreation(draft: Draft, pool: Hex, { blockNumber, logIndex, txHash, txIndex, timestamp }: TokenEvent): void {
  draft.poolCreations.set(pool, { pool, blockNumber, logIndex, txHash, txIndex, timestamp })
}

/** Launchpads announce a pool last: after its first price, its liquidity and the creator's first buy. */
export function noteEarlierLog(draft: Draft, pool: Hex, event: TokenEvent): void {
  const creation = draft.poolCreations.get(pool)
  if (creation?.blockNumber === event.blockNumber && event.logIndex < creation.logIndex) noteCreation(draft, pool, event)
}

/** The event's pool change is applied already. */
export function applyJoinExit(draft: Draft, token: TokenDraft, event: TokenEventOf<'joinExit'>): void {
  const pool = currentPool(draft, event.pool)
  if (pool?.token !== token.address) return
  const { maker, amountToken, amountQuote } = event
  noteJoinExit(draft, pool, event, { maker, amountToken, amountQuote })
}

/** Graduation moves all that the curve held, for which the curve emits no event. */
export function emptyCurve(draft: Draft, token: TokenDraft, curve: Mutable<PoolRow>, event: TokenEventOf<'migrated'>): void {
  const [amountToken, amountQuote] = [-(curve.reserveToken ?? 0n), -(curve.reserveQuote ?? 0n)]
  if (curve.reserveToken !== null) curve.reserveToken = 0n
  if (curve.reserveQuote !== null) curve.reserveQuote = 0n
  const last = draft.trades.get(token.address)?.findLast(({ pool }) => pool === curve.address)
  if (last?.blockNumber === event.blockNumber && last.logIndex === event.logIndex) {
    // One log is both: the buy that graduates its token leaves the curve empty.
    Object.assign(last, { reserveToken: curve.reserveToken, reserveQuote: curve.reserveQuote })
  } else if (amountToken !== 0n || amountQuote !== 0n) {
    noteJoinExit(draft, curve, event, { maker: token.creator, amountToken, amountQuote })
  }
}

function noteJoinExit(
  draft: Draft,
  { address: pool, reserveToken, reserveQuote }: PoolRow,
  { blockNumber, logIndex, txHash, txIndex, timestamp }: TokenEvent,
  moved: Pick<TokenEventOf<'joinExit'>, 'maker' | 'amountToken' | 'amountQuote'>,
): void {
  draft.joinExits.push({ blockNumber, logIndex, pool, ...moved, reserveToken, reserveQuote, txHash, txIndex, timestamp })
}
