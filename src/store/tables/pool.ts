import { defineEntity, p } from '@mikro-orm/core'
import { address, double, hex, numeric, oneOf, safeInteger } from './columns.ts'

/** A curve or pool in which a token trades or traded. */
export const PoolEntity = defineEntity({
  name: 'Pool',
  tableName: 'pool',
  properties: {
    address: hex().primary(),
    token: address(),
    launchpad: p.text(),
    type: oneOf('type', ['curve', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4']),
    quoteToken: address(),
    quoteDecimals: p.smallint(),
    tokenIsToken0: p.boolean(),
    feeBps: double().nullable(),
    reserveToken: numeric().nullable(),
    reserveQuote: numeric().nullable(),
    sqrtPriceX96: numeric().nullable(),
    tick: p.integer().nullable(),
    liquidity: numeric().nullable(),
    priceWeth: numeric().nullable(),
    positionId: numeric().nullable(),
    createdBlock: safeInteger(),
    lastChangedBlock: safeInteger().nullable(),
  },
  indexes: [{ name: 'pool_by_token', properties: ['token'] }],
})
