import { defineEntity } from '@mikro-orm/core'
import { column, greatest, keepFirst, keepLast, least, ofBlocks, type RowOf, sum, tableOf } from './columns.ts'

const key = {
  /** The start of the interval. */
  time: column.seconds().primary(),
  token: column.address().primary(),
  intervalSeconds: column.integer().primary(),
}

const values = {
  // In WETH; null where the price in WETH is not known.
  open: column.decimal(keepFirst).strictNullable(),
  high: column.decimal(greatest).strictNullable(),
  low: column.decimal(least).strictNullable(),
  close: column.decimal(keepLast).strictNullable(),
  volumeWei: column.wei(sum).strictNullable(),
  trades: column.integer(sum),
  /** In the token's smallest units; null: indexed before the column existed. */
  volumeToken: column.units(sum).strictNullable(),
  // In the main pool's currency, prices in 10^18 of its smallest units; null where that is WETH.
  openQuote: column.decimal(keepFirst).strictNullable(),
  highQuote: column.decimal(greatest).strictNullable(),
  lowQuote: column.decimal(least).strictNullable(),
  closeQuote: column.decimal(keepLast).strictNullable(),
  volumeQuote: column.units(sum).strictNullable(),
  // In USD, from the moments at which the USD price was known; null when there was none.
  openUsd: column.decimal(keepFirst).strictNullable(),
  highUsd: column.decimal(greatest).strictNullable(),
  lowUsd: column.decimal(least).strictNullable(),
  closeUsd: column.decimal(keepLast).strictNullable(),
  volumeUsd: column.decimal(sum).strictNullable(),
  tradesUsd: column.integer(sum),
}

const properties = { ...key, ...values }

/**
 * A token's prices and volume over one interval. It opens at the close of the candle before it. A written candle is merged into the stored
 * one.
 */
export const CandleEntity = ofBlocks(
  { undone: 'image', leavesBy: 'token' },
  defineEntity({
    name: 'Candle',
    tableName: 'candle',
    properties: {
      ...properties,
      /** Whether it has prices in USD; `null`: it has none in WETH either. */
      inUsd: column.boolean().generated('((close_usd is not null) or nullif((close is null), true)) stored').strictNullable(),
    },
    indexes: [
      {
        name: 'candle_by_time',
        properties: ['token', 'intervalSeconds', 'inUsd', 'time'],
        include: Object.keys(values) as (keyof typeof values)[],
      },
    ],
  }),
)

export interface CandleRow extends RowOf<typeof properties> {}
export const CANDLE = tableOf(CandleEntity, properties)
