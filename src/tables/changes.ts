import type { Address, Hex } from '#domain/address.ts'
import { getOrInsert } from '#domain/maps.ts'
import type { LastTrades, PerWindow, WindowAging } from '#domain/windows.ts'
import { BALANCE, type BalanceRow } from './balance.ts'
import { CANDLE } from './candle.ts'
import type { Table } from './columns.ts'
import { CREATOR_FEE, type CreatorFeeRow } from './creatorFee.ts'
import { EARLY_CLASS } from './earlyClass.ts'
import { JOIN_EXIT } from './joinExit.ts'
import { MILESTONE } from './milestone.ts'
import { POOL, POOL_CREATION, type PoolRow } from './pool.ts'
import { POOL_TICK, type PoolTickRow } from './poolTick.ts'
import { TOKEN, type TokenRow } from './token.ts'
import { TRADE } from './trade.ts'

/** The current rows that a batch may change. A key that is absent has no row yet. */
export interface CurrentRows {
  readonly tokens: ReadonlyMap<Address, TokenRow>
  readonly pools: ReadonlyMap<Hex, PoolRow>
  /** The markets of quote currencies that are indexed tokens but not in `tokens`. Their pools are in `pools`. */
  readonly quotes: ReadonlyMap<Address, Pick<TokenRow, 'mainPool' | 'decimals'>>
  /** By pool, then tick: the ticks that the batch's events set, and those between its prices. */
  readonly ticks: ReadonlyMap<Hex, ReadonlyMap<number, PoolTickRow>>
  readonly balances: Balances
  /** By `creatorFeeKey`. */
  readonly creatorFees: ReadonlyMap<string, CreatorFeeRow>
  readonly aging: ReadonlyMap<Address, PerWindow<WindowAging>>
  /** By token: the last trades of the holders in `balances`, and of makers whose last trade has left a window. */
  readonly lastTrades: ReadonlyMap<Address, LastTrades>
}

/** Ticks of a pool, both ends included. */
export interface TickRange {
  readonly pool: Hex
  readonly from: number
  readonly to: number
  /** Whether the pool's price moves to these ticks, so that all ticks between the present one and the range are needed, too. */
  readonly isPrice: boolean
}

export type BalanceKey = Pick<BalanceRow, 'token' | 'holder'>
export type CreatorFeeKey = Pick<CreatorFeeRow, 'launchpad' | 'creator' | 'currency' | 'token'>

/** The rows that a batch needs, besides the tokens whose windows have expired. */
export interface RowKeys {
  readonly tokens: readonly Address[]
  /** The quote currencies of new pools. */
  readonly currencies: readonly Address[]
  readonly ticks: readonly TickRange[]
  readonly balances: readonly BalanceKey[]
  readonly creatorFees: readonly CreatorFeeKey[]
}

/** A token before the events of a block. */
export interface TokenBefore {
  readonly blockNumber: number
  /** Unix seconds. */
  readonly timestamp: number
  /** `null`: the block launched it. */
  readonly row: TokenRow | null
}

/** The tables of the rows that projection gives. A commit keeps images of these rows, and writes them, by what the tables say. */
export const PROJECTED = {
  tokens: TOKEN,
  pools: POOL,
  ticks: POOL_TICK,
  trades: TRADE,
  joinExits: JOIN_EXIT,
  poolCreations: POOL_CREATION,
  milestones: MILESTONE,
  balances: BALANCE,
  /** One row per token and class. */
  earlyClasses: EARLY_CLASS,
  candles: CANDLE,
  creatorFees: CREATOR_FEE,
}

type RowIn<Of> = Of extends Table<infer Row> ? Row : never
type ProjectedRows = { readonly [Name in keyof typeof PROJECTED]: readonly RowIn<(typeof PROJECTED)[Name]>[] }

/** Every row that a batch changes or adds, in its final state. */
export interface Changes extends ProjectedRows {
  /** The quote currencies of new pools. */
  readonly currencies: readonly Address[]
  /** By token, in order of blocks. Tokens without events, such as those that are valued anew, are not among them. */
  readonly tokensBefore: ReadonlyMap<Address, readonly TokenBefore[]>
}

/** Balances by token, then holder. A key of both would have to be concatenated and hashed for every transfer. */
export type Balances = ReadonlyMap<Address, ReadonlyMap<Address, BalanceRow>>

export function balancesOf(rows: Iterable<BalanceRow>): Balances {
  const balances = new Map<Address, Map<Address, BalanceRow>>()
  for (const row of rows) getOrInsert(balances, row.token, () => new Map()).set(row.holder, row)
  return balances
}
