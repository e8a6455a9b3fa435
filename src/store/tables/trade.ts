import { defineEntity, p } from '@mikro-orm/core'
import { address, hex, numeric, oneOf, safeInteger } from './columns.ts'

/** One swap of a token. */
export const TradeEntity = defineEntity({
  name: 'Trade',
  tableName: 'trade',
  properties: {
    blockNumber: safeInteger().primary(),
    logIndex: p.integer().primary(),
    token: address(),
    pool: hex(),
    phase: oneOf('phase', ['curve', 'pool']),
    side: oneOf('side', ['buy', 'sell']),
    maker: address(),
    amountToken: numeric(),
    amountWei: numeric().nullable(),
    feeWei: numeric().nullable(),
    priceWeth: numeric().nullable(),
    priceAfterWeth: numeric().nullable(),
    ethUsd: numeric().nullable(),
    blockHash: hex(),
    txHash: hex(),
    timestamp: safeInteger(),
  },
  indexes: [
    { name: 'trade_by_token', properties: ['token', 'side', 'blockNumber', 'logIndex'] },
    { name: 'trade_by_maker', properties: ['token', 'maker', 'side', 'blockNumber', 'logIndex'] },
    { name: 'trade_by_token_time', properties: ['token', 'timestamp', 'blockNumber', 'logIndex'] },
  ],
})
