import { defineEntity } from '@mikro-orm/core'
import { column, greatest, keepFirst, keepLast, least, sum } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

const key = {
  /** The interval's start. */
  time: column.seconds().primary(),
  token: column.address().primary(),
  intervalSeconds: column.integer().primary(),
}

const values = {
  open: column.decimal(keepFirst),
  high: column.decimal(greatest),
  low: column.decimal(least),
  close: column.decimal(keepLast),
  volumeWei: column.wei(sum),
  trades: column.integer(sum),
  // Of the trades whose USD price was known; null when there is none.
  openUsd: column.decimal(keepFirst).strictNullable(),
  highUsd: column.decimal(greatest).strictNullable(),
  lowUsd: column.decimal(least).strictNullable(),
  closeUsd: column.decimal(keepLast).strictNullable(),
  volumeUsd: column.decimal(sum).strictNullable(),
  tradesUsd: column.integer(sum),
}

const properties = { ...key, ...values }

/** A token's prices and volume over one interval. What a batch adds is merged into what is stored. */
export const CandleEntity = defineEntity({
  name: 'Candle',
  tableName: 'candle',
  properties: { ...properties, inUsd: column.boolean().generated('(close_usd is not null) stored') },
  indexes: [
    {
      name: 'candle_by_time',
      properties: ['token', 'intervalSeconds', 'inUsd', 'time'],
      include: Object.keys(values) as (keyof typeof values)[],
    },
  ],
})

export interface CandleRow extends RowOf<typeof properties> {}
export const CANDLE = tableOf(CandleEntity, properties)
