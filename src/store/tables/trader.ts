import { defineEntity } from '@mikro-orm/core'
import { address, safeInteger } from './columns.ts'

/** When an address traded last, whatever token: who traded within 24 hours is counted from it. */
export const TraderEntity = defineEntity({
  name: 'Trader',
  tableName: 'trader',
  properties: {
    maker: address().primary(),
    lastTradeAt: safeInteger(),
  },
  indexes: [{ name: 'trader_by_last_trade_at', properties: ['lastTradeAt'] }],
})
