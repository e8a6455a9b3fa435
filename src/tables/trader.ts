import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

const properties = {
  maker: column.address().primary(),
  lastTradeAt: column.seconds(),
}

/** An address's last trade of any token. The traders of the last 24 hours are counted by it. */
export const TraderEntity = defineEntity({
  name: 'Trader',
  tableName: 'trader',
  properties,
  indexes: [{ name: 'trader_by_last_trade_at', properties: ['lastTradeAt'] }],
})

export interface TraderRow extends RowOf<typeof properties> {}
export const TRADER = tableOf(TraderEntity, properties)
