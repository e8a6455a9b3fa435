import type { Hex } from '#domain/address.ts'
import type { TokenEvent, TokenEventOf } from '#launchpads/tokenEvent.ts'
import type { PoolRow } from '#tables/pool.ts'
import { currentPool, type Draft, type Mutable, type TokenDraft } from './draft.ts'

/** Notes the log that announces a new pool. An earlier log of the pool in the same block takes its place (`noteEarlierLog`). */
export function noteCreation(draft: Draft, pool: Hex, { blockNumber, logIndex, txHash, txIndex, timestamp }: TokenEvent): void {
  draft.poolCreations.set(pool, { pool, blockNumber, logIndex, txHash, txIndex, timestamp })
}

/** Notes a log of a new pool before its announcement: launchpads announce a pool after its first price, liquidity and buy. */
export function noteEarlierLog(draft: Draft, pool: Hex, event: TokenEvent): void {
  const creation = draft.poolCreations.get(pool)
  if (creation?.blockNumber === event.blockNumber && event.logIndex < creation.logIndex) noteCreation(draft, pool, event)
}

/** Adds a join or an exit. The event's pool change is applied already. */
export function applyJoinExit(draft: Draft, token: TokenDraft, event: TokenEventOf<'joinExit'>): void {
  const pool = currentPool(draft, event.pool)
  if (pool?.token !== token.address) return
  const { maker, amountToken, amountQuote } = event
  noteJoinExit(draft, pool, event, { maker, amountToken, amountQuote })
}

/** Empties a curve whose token graduates: the curve emits no event for the amounts that leave it. */
export function emptyCurve(draft: Draft, token: TokenDraft, curve: Mutable<PoolRow>, event: TokenEventOf<'migrated'>): void {
  const [amountToken, amountQuote] = [-(curve.reserveToken ?? 0n), -(curve.reserveQuote ?? 0n)]
  if (curve.reserveToken !== null) curve.reserveToken = 0n
  if (curve.reserveQuote !== null) curve.reserveQuote = 0n
  const last = draft.trades.get(token.address)?.findLast(({ pool }) => pool === curve.address)
  if (last?.blockNumber === event.blockNumber && last.logIndex === event.logIndex) {
    // One log is both: the buy that graduates the token leaves the curve empty.
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
