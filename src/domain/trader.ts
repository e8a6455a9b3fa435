import type { Address } from './address.ts'
import type { HolderType } from './holder.ts'
import type { ValuedBalance } from './valuedBalance.ts'

export const TRADER_SORTS = ['realized', 'volume', 'bought', 'sold', 'balance'] as const
export type TraderSort = (typeof TRADER_SORTS)[number]

/** An account that has traded a token. */
export interface Trader extends ValuedBalance {
  readonly address: Address
  readonly type: HolderType
  readonly buys: number
  readonly sells: number
  /** Raw units. */
  readonly boughtToken: string
  readonly soldToken: string
  /** What its buys cost and its sales brought; `null`: the value of one trade is not known. USD at the price of each trade's time. */
  readonly boughtWeth: string | null
  readonly boughtUsd: string | null
  readonly soldWeth: string | null
  readonly soldUsd: string | null
  readonly volumeWeth: string | null
  readonly volumeUsd: string | null
  readonly firstTradeAt: string
  readonly lastTradeAt: string
}
