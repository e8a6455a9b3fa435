import { defineEntity } from '@mikro-orm/core'
import { LEADER_WINDOWS } from '#domain/windows.ts'
import { column, greatest, ofBlocks, type RowOf, sum, tableOf } from './columns.ts'

const properties = {
  period: column.oneOf('period', LEADER_WINDOWS).primary(),
  /** Empty: the row sums up trades of all launchpads' tokens. */
  launchpad: column.text().primary(),
  maker: column.address().primary(),
  buys: column.integer(sum),
  sells: column.integer(sum),
  // Sums over the trades whose value is known. USD are in units of 10^-18.
  boughtWei: column.wei(sum),
  boughtUsd: column.units(sum),
  soldWei: column.wei(sum),
  soldUsd: column.units(sum),
  // Sums over the sales whose profit is known.
  realizedWei: column.wei(sum),
  realizedUsd: column.units(sum),
  /** The number of trades that the amounts leave out. */
  tradesWithoutWei: column.integer(sum),
  tradesWithoutUsd: column.integer(sum),
  /** The number of sales that the profits leave out. */
  salesWithoutWei: column.integer(sum),
  salesWithoutUsd: column.integer(sum),
  lastTradeAt: column.seconds(greatest),
}

/** The sorts of leaders: expressions of indexes. */
export const LEADER_SORT_VALUES = {
  realized: 'realized_wei',
  volume: '(bought_wei + sold_wei)',
  bought: 'bought_wei',
  sold: 'sold_wei',
}

/** Sums over an account's trades within a window, of all tokens or of one launchpad's tokens. */
export const LeaderEntity = ofBlocks(
  {},
  defineEntity({
    name: 'Leader',
    tableName: 'leader',
    properties,
    indexes: Object.entries(LEADER_SORT_VALUES).map(([sort, value]) => ({
      name: `leader_by_${sort}`,
      expression: `create index leader_by_${sort} on leader (period, launchpad, ${value}, maker)`,
    })),
  }),
)

export interface LeaderRow extends RowOf<typeof properties> {}
export const LEADER = tableOf(LeaderEntity, properties)

/** The trades that the rows of a window count: those of final blocks after `afterBlock`, up to `toBlock`. */
export const LeaderWindowEntity = ofBlocks(
  {},
  defineEntity({
    name: 'LeaderWindow',
    tableName: 'leader_window',
    properties: {
      period: column.oneOf('period', LEADER_WINDOWS).primary(),
      afterBlock: column.blockNumber(),
      toBlock: column.blockNumber(),
    },
  }),
)
