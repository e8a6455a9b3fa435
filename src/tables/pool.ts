import { defineEntity } from '@mikro-orm/core'
import { column, ofBlocks, type RowOf, tableOf } from './columns.ts'

const properties = {
  address: column.hex().primary(),
  token: column.address(),
  launchpad: column.text(),
  type: column.oneOf('type', ['curve', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4']),
  quoteToken: column.address(),
  tokenIsToken0: column.boolean(),
  feeBps: column.double().strictNullable(),
  reserveToken: column.units().strictNullable(),
  reserveQuote: column.units().strictNullable(),
  // The amounts in a Uniswap v4 pool's positions, in 2^-160 of the smallest units; `null`: another kind of pool, or an unknown position.
  positionsToken: column.units().strictNullable(),
  positionsQuote: column.units().strictNullable(),
  sqrtPriceX96: column.units().strictNullable(),
  tick: column.integer().strictNullable(),
  liquidity: column.units().strictNullable(),
  /** The price of a whole token by the pool's state, in 10^18 smallest units of the quote currency; `null`: the pool is not initialised. */
  price: column.decimal().strictNullable(),
  /** The locked position whose fees the launchpad shares out; `null`: it is not in this pool, or not known. */
  positionId: column.units().strictNullable(),
  createdBlock: column.blockNumber(),
  /** The last block with an event that changed the pool; `null`: no event of it has been seen. */
  lastChangedBlock: column.blockNumber().strictNullable(),
}

export const PoolEntity = ofBlocks(
  { undone: 'image', leavesBy: 'launchpad', joins: 'named' },
  defineEntity({
    name: 'Pool',
    tableName: 'pool',
    properties,
    indexes: [
      { name: 'pool_by_token', properties: ['token'] },
      { name: 'pool_by_quote', properties: ['quoteToken'] },
    ],
  }),
)

export interface PoolRow extends RowOf<typeof properties> {}
export const POOL = tableOf(PoolEntity, properties)

const creationProperties = {
  pool: column.hex().primary(),
  blockNumber: column.blockNumber(),
  logIndex: column.logIndex(),
  txHash: column.hex(),
  txIndex: column.bigint(),
  timestamp: column.seconds(),
}

/** A pool's first log in the block that announces the pool. It has its own table, since the row of `pool` is rewritten by every trade. */
export const PoolCreationEntity = ofBlocks(
  { undone: 'block_number', leavesBy: 'pool', joins: 'all' },
  defineEntity({
    name: 'PoolCreation',
    tableName: 'pool_creation',
    properties: creationProperties,
    indexes: [{ name: 'pool_creation_by_block', properties: ['blockNumber'] }],
  }),
)

export interface PoolCreationRow extends RowOf<typeof creationProperties> {}
export const POOL_CREATION = tableOf(PoolCreationEntity, creationProperties)
