import { defineEntity } from '@mikro-orm/core'
import { HOLDER_TYPES } from '#domain/holder.ts'
import { column, type Merge, ofBlocks, type RowOf, tableOf } from './columns.ts'

/** Keeps the type `contract`, which no event shows: it is known from the holder's code (rows/holderCodes.ts). */
const keepContract: Merge = (stored, inserted) =>
  `case when ${inserted} = 'wallet' and ${stored} = 'contract' then 'contract' else ${inserted} end`

const properties = {
  token: column.address().primary(),
  holder: column.address().primary(),
  /** The sum of the Transfer events: negative for a token whose balances change without events. */
  balance: column.units(),
  type: column.oneOf('type', HOLDER_TYPES, keepContract),
  /** The sum of `CLASS_BITS`. */
  classes: column.smallint().default(0),
  lastChangedBlock: column.blockNumber(),

  buys: column.integer().defaultRaw('0'),
  sells: column.integer().defaultRaw('0'),
  boughtToken: column.units().defaultRaw('0'),
  soldToken: column.units().defaultRaw('0'),
  // The cost of the buys and the proceeds of the sales. USD are in units of 10^-18. `null`: the value of one trade is not known.
  boughtWei: column.wei().strictNullable(),
  boughtUsd: column.units().strictNullable(),
  soldWei: column.wei().strictNullable(),
  soldUsd: column.units().strictNullable(),
  /** The cost of the balance by average price; `null`: a part of it came at an unknown cost. */
  costWei: column.wei().strictNullable(),
  costUsd: column.units().strictNullable(),
  /** The proceeds of the sales less the cost of the sold amounts; `null`: a part of them is not known. */
  realizedWei: column.wei().strictNullable(),
  realizedUsd: column.units().strictNullable(),
  /** `null`: the account has never traded the token. */
  firstTradeAt: column.seconds().strictNullable(),
  /** `null`: the account has never bought the token or, for `lastSellAt`, never sold it. */
  lastBuyAt: column.seconds().strictNullable(),
  lastSellAt: column.seconds().strictNullable(),
}

const UNKNOWN = `'-Infinity'::numeric`

/** The sorts of a token's traders: expressions of indexes, in which unknown values are the smallest. */
export const TRADER_SORT_VALUES = {
  realized: `coalesce(realized_wei, ${UNKNOWN})`,
  volume: `coalesce(bought_wei + sold_wei, ${UNKNOWN})`,
  bought: `coalesce(bought_wei, ${UNKNOWN})`,
  sold: `coalesce(sold_wei, ${UNKNOWN})`,
  balance: 'balance',
}

/** The condition of the indexes of traders, which queries have to use in the same form. */
export const IS_TRADER = 'first_trade_at is not null'

/** The condition of the indexes of traders with an early class, which queries have to use in the same form. */
export const IS_EARLY_TRADER = `${IS_TRADER} and classes > 0`

/** The balances of burn addresses and lockers: the condition of an index, which queries have to use in the same form. */
export const OUT_OF_CIRCULATION = `type in ('burn', 'locker')`

/** An account's balance of a token, and its trades of the token with their cost and profit. */
export const BalanceEntity = ofBlocks(
  { undone: 'image', leavesBy: 'token', joins: 'all' },
  defineEntity({
    name: 'Balance',
    tableName: 'balance',
    properties,
    indexes: [
      // They include the columns that holders are chosen and summed up by, so that their rows need not be read.
      {
        name: 'balance_by_size',
        expression: 'create index balance_by_size on balance (token, (- balance), holder) include (balance, type) where balance > 0',
      },
      {
        name: 'balance_by_holder',
        expression: 'create index balance_by_holder on balance (holder, last_changed_block, token) include (balance) where balance > 0',
      },
      {
        name: 'balance_out_of_circulation',
        expression: `create index balance_out_of_circulation on balance (token) include (balance, type) where ${OUT_OF_CIRCULATION}`,
      },
      ...Object.entries(TRADER_SORT_VALUES).map(([sort, value]) => ({
        name: `trader_by_${sort}`,
        expression: `create index trader_by_${sort} on balance (token, (${value}), holder) where ${IS_TRADER}`,
      })),
      ...Object.entries(TRADER_SORT_VALUES).map(([sort, value]) => ({
        name: `early_trader_by_${sort}`,
        expression: `create index early_trader_by_${sort} on balance (token, (${value}), holder) where ${IS_EARLY_TRADER}`,
      })),
    ],
  }),
)

export interface BalanceRow extends RowOf<typeof properties> {}
export const BALANCE = tableOf(BalanceEntity, properties)

const codeProperties = {
  holder: column.address().primary(),
  contract: column.boolean(),
}

/** Whether an address among the largest holders of a token is a contract, as the chain has answered. */
export const HolderCodeEntity = defineEntity({ name: 'HolderCode', tableName: 'holder_code', properties: codeProperties })

export interface HolderCodeRow extends RowOf<typeof codeProperties> {}
export const HOLDER_CODE = tableOf(HolderCodeEntity, codeProperties)
