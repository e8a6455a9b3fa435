import { defineEntity } from '@mikro-orm/core'
import { LEADER_WINDOWS } from '#domain/leaderWindow.ts'
import { column, greatest, sum } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

const properties = {
  period: column.oneOf('period', LEADER_WINDOWS).primary(),
  /** Empty: of all launchpads. */
  launchpad: column.text().primary(),
  maker: column.address().primary(),
  buys: column.integer(sum),
  sells: column.integer(sum),
  // Of the trades whose value is known. USD are counted in units of 10^-18.
  boughtWei: column.wei(sum),
  boughtUsd: column.units(sum),
  soldWei: column.wei(sum),
  soldUsd: column.units(sum),
  // Of the sales whose profit is known.
  realizedWei: column.wei(sum),
  realizedUsd: column.units(sum),
  /** Trades that the amounts leave out. */
  tradesWithoutWei: column.integer(sum),
  tradesWithoutUsd: column.integer(sum),
  /** Sales that the profits leave out. */
  salesWithoutWei: column.integer(sum),
  salesWithoutUsd: column.integer(sum),
  lastTradeAt: column.seconds(greatest),
}

/** What leaders are sorted by: expressions of indexes. */
export const LEADER_SORT_VALUES = {
  realized: 'realized_wei',
  volume: '(bought_wei + sold_wei)',
  bought: 'bought_wei',
  sold: 'sold_wei',
}

/** What an account has traded within a window: sums over its trades of all tokens, or of one launchpad's tokens. */
export const LeaderEntity = defineEntity({
  name: 'Leader',
  tableName: 'leader',
  properties,
  indexes: Object.entries(LEADER_SORT_VALUES).map(([sort, value]) => ({
    name: `leader_by_${sort}`,
    expression: `create index leader_by_${sort} on leader (period, launchpad, ${value}, maker)`,
  })),
})

export interface LeaderRow extends RowOf<typeof properties> {}
export const LEADER = tableOf(LeaderEntity, properties)

/** Which trades the rows of a window count: those of final blocks after `afterBlock`, up to `toBlock`. */
export const LeaderWindowEntity = defineEntity({
  name: 'LeaderWindow',
  tableName: 'leader_window',
  properties: {
    period: column.oneOf('period', LEADER_WINDOWS).primary(),
    afterBlock: column.blockNumber(),
    toBlock: column.blockNumber(),
  },
})
