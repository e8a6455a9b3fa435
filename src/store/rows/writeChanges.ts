import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { ANNOUNCED_CONTRACT, type AnnouncedContractRow } from '#tables/announcedContract.ts'
import { BALANCE } from '#tables/balance.ts'
import { BLOCK } from '#tables/block.ts'
import { CANDLE } from '#tables/candle.ts'
import type { Changes } from '#tables/changes.ts'
import { CREATOR_FEE } from '#tables/creatorFee.ts'
import { CURRENCY } from '#tables/currency.ts'
import { EARLY_CLASS } from '#tables/earlyClass.ts'
import { JOIN_EXIT } from '#tables/joinExit.ts'
import { MILESTONE } from '#tables/milestone.ts'
import { POOL } from '#tables/pool.ts'
import { POOL_CREATION } from '#tables/poolCreation.ts'
import { POOL_TICK } from '#tables/poolTick.ts'
import { WRITTEN_TOKEN } from '#tables/token.ts'
import { TRADE } from '#tables/trade.ts'
import { insertRows, type Statements } from './insertRows.ts'
import type { SplitRows } from './splitNewRows.ts'

/** How many of the newest headers are kept for reconciliation. */
export const KEPT_BLOCKS = 4_096

export interface WrittenBatch {
  readonly changes: Changes
  /** The balances and candles of `changes`. */
  readonly split: SplitRows
  /** The contracts that the batch's launches name and that were not known before. */
  readonly contracts: readonly AnnouncedContractRow[]
  /** As in `BlockRow`. Stored with each of the blocks. */
  readonly revaluedTo: Address | null
  /** The headers to keep for reconciliation, ascending; the last is the new cursor. */
  readonly blocks: readonly BlockHeader[]
}

/**
 * Writes all rows of a batch, inside the caller's transaction. Every token gets its next sequence: the given commit time, or one more than
 * before when that is larger.
 */
export function* writeChanges(
  { changes, split: { balances, candles }, contracts, revaluedTo, blocks }: WrittenBatch,
  committedAtMs: number,
): Statements {
  const tokens = changes.tokens.map(token => ({ ...token, sequence: committedAtMs, updatedAtMs: committedAtMs }))
  yield* insertRows(WRITTEN_TOKEN, tokens, WRITTEN_TOKEN.merge)
  yield* insertRows(POOL, changes.pools, POOL.merge)
  yield* insertRows(POOL_TICK, changes.ticks, POOL_TICK.merge)
  // There is no conflict clause: a trade that is stored already means that the batch is applied twice, and must fail.
  yield* insertRows(TRADE, changes.trades)
  yield* insertRows(JOIN_EXIT, changes.joinExits)
  yield* insertRows(POOL_CREATION, changes.poolCreations)
  yield* insertRows(MILESTONE, changes.milestones)
  yield* insertRows(BALANCE, balances.added)
  yield* insertRows(BALANCE, balances.merged, BALANCE.merge)
  yield* insertRows(EARLY_CLASS, changes.earlyClasses, EARLY_CLASS.merge)
  yield* insertRows(CANDLE, candles.added)
  yield* insertRows(CANDLE, candles.merged, CANDLE.merge)
  yield* insertRows(CREATOR_FEE, changes.creatorFees, CREATOR_FEE.merge)
  yield* insertRows(ANNOUNCED_CONTRACT, contracts)
  yield* insertRows(
    CURRENCY,
    changes.currencies.map(address => ({ address, symbol: null, decimals: null, isRead: false, readAgainAtMs: null })),
    'on conflict do nothing',
  )
  // The before-images are of the rows before all of these blocks, so that only all of them can be undone.
  yield* insertRows(
    BLOCK,
    blocks.map((block, index) => ({ ...block, revaluedTo, mergedWithNext: index < blocks.length - 1 })),
  )
  const newest = blocks.at(-1)
  if (newest !== undefined) yield sql`delete from block where number <= ${newest.number - KEPT_BLOCKS}`
}
