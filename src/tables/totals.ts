import { defineEntity } from '@mikro-orm/core'
import { column, least, ofBlocks, type RowOf, sum, tableOf } from './columns.ts'

const totalsProperties = {
  id: column.smallint().primary().autoincrement(false).default(1).check('id = 1'),
  countedAt: column.seconds(),
  tokens: column.integer(sum),
  bonding: column.integer(sum),
  completed: column.integer(sum),
  migrated: column.integer(sum),
  liquidityWeth: column.decimal(sum),
  tradesH24: column.bigint(sum),
  volumeH24: column.wei(sum),
  tradersH24: column.bigint(sum),
}

/** One row: counts and sums over the whole index, as of the last commit that changed any of them. */
export const IndexTotalsEntity = ofBlocks(
  { undone: 'image' },
  defineEntity({ name: 'IndexTotals', tableName: 'index_totals', properties: totalsProperties }),
)

export const INDEX_TOTALS = tableOf(IndexTotalsEntity, totalsProperties)

const launchpadProperties = {
  launchpad: column.text().primary(),
  tokens: column.integer(sum),
  bonding: column.integer(sum),
  completed: column.integer(sum),
  migrated: column.integer(sum),
  tradesH24: column.bigint(sum),
  volumeH24: column.wei(sum),
}

/** Counts and sums over each launchpad's tokens. */
export const LaunchpadTotalsEntity = ofBlocks(
  { undone: 'image', leavesBy: 'launchpad', joins: 'all' },
  defineEntity({
    name: 'LaunchpadTotals',
    tableName: 'launchpad_totals',
    properties: launchpadProperties,
  }),
)

export interface LaunchpadTotalsRow extends RowOf<typeof launchpadProperties> {}
export const LAUNCHPAD_TOTALS = tableOf(LaunchpadTotalsEntity, launchpadProperties)

const traderProperties = {
  maker: column.address().primary(),
  firstTradeAt: column.seconds(least),
  lastTradeAt: column.seconds(),
  trades: column.integer(sum),
  /** The sum over the trades whose value in WETH is known. */
  volumeWei: column.wei(sum),
  /** The number of tokens that the address has traded. */
  tokens: column.integer(sum),
  // Sums over the tokens whose profit is known (`balance`). The last two count the other tokens.
  realizedWei: column.wei(sum),
  realizedUsd: column.units(sum),
  tokensWithoutWei: column.integer(sum),
  tokensWithoutUsd: column.integer(sum),
}

/** The totals of an address's trades of all tokens. The time of the last one decides who counts as a trader of the last 24 hours. */
export const TraderEntity = ofBlocks(
  { undone: 'image' },
  defineEntity({
    name: 'Trader',
    tableName: 'trader',
    properties: traderProperties,
    indexes: [{ name: 'trader_by_last_trade_at', properties: ['lastTradeAt'] }],
  }),
)

export interface TraderRow extends RowOf<typeof traderProperties> {}
export const TRADER = tableOf(TraderEntity, traderProperties)
