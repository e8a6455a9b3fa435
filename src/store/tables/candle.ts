import { defineEntity, p } from '@mikro-orm/core'
import { address, numeric, safeInteger } from './columns.ts'

/** A token's prices and volume over one interval. */
export const CandleEntity = defineEntity({
  name: 'Candle',
  tableName: 'candle',
  properties: {
    time: safeInteger().primary(),
    token: address().primary(),
    intervalSeconds: p.integer().primary(),
    open: numeric(),
    high: numeric(),
    low: numeric(),
    close: numeric(),
    volumeWei: numeric(),
    trades: p.integer(),
    openUsd: numeric().nullable(),
    highUsd: numeric().nullable(),
    lowUsd: numeric().nullable(),
    closeUsd: numeric().nullable(),
    volumeUsd: numeric().nullable(),
    tradesUsd: p.integer(),
    inUsd: p.boolean().generated('(close_usd is not null) stored'),
  },
  indexes: [
    {
      name: 'candle_by_time',
      properties: ['token', 'intervalSeconds', 'inUsd', 'time'],
      include: [
        'open',
        'high',
        'low',
        'close',
        'volumeWei',
        'trades',
        'openUsd',
        'highUsd',
        'lowUsd',
        'closeUsd',
        'volumeUsd',
        'tradesUsd',
      ],
    },
  ],
})
