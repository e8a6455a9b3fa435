import { defineEntity } from '@mikro-orm/core'
import { HOLDER_TYPES } from '#domain/holder.ts'
import { column, type Merge } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

/** Events don't show whether a holder is a contract. Its code was read (rows/holderCodes.ts), and the answer stays. */
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
  // What the buys cost and the sales brought. USD are counted in units of 10^-18. `null`: the value of one trade is not known.
  boughtWei: column.wei().strictNullable(),
  boughtUsd: column.units().strictNullable(),
  soldWei: column.wei().strictNullable(),
  soldUsd: column.units().strictNullable(),
  /** What the balance cost by average price; `null`: a part of it came at an unknown cost. */
  costWei: column.wei().strictNullable(),
  costUsd: column.units().strictNullable(),
  /** What the sales brought beyond the cost of what was sold; `null`: the cost or value of a part is not known. */
  realizedWei: column.wei().strictNullable(),
  realizedUsd: column.units().strictNullable(),
  /** `null`: it has never traded. */
  firstTradeAt: column.seconds().strictNullable(),
  /** `null`: it has never bought, or never sold. */
  lastBuyAt: column.seconds().strictNullable(),
  lastSellAt: column.seconds().strictNullable(),
}

const UNKNOWN = `'-Infinity'::numeric`

/** What a token's traders are sorted by: expressions of indexes, in which unknown values are the smallest. */
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

/** What an account holds of a token, what it has traded of it, and what that cost and earned. */
export const BalanceEntity = defineEntity({
  name: 'Balance',
  tableName: 'balance',
  properties,
  indexes: [
    // They include what holders are chosen and summed up by, so that not each row is read.
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
})

export interface BalanceRow extends RowOf<typeof properties> {}
export const BALANCE = tableOf(BalanceEntity, properties)

const codeProperties = {
  holder: column.address().primary(),
  contract: column.boolean(),
}

/** Whether one of a token's largest holders is a contract, as the chain answered. */
export const HolderCodeEntity = defineEntity({ name: 'HolderCode', tableName: 'holder_code', properties: codeProperties })

export interface HolderCodeRow extends RowOf<typeof codeProperties> {}
export const HOLDER_CODE = tableOf(HolderCodeEntity, codeProperties)
