import type { Address, Hex } from './address.ts'

export const TRADE_SIDES = ['buy', 'sell'] as const
export type TradeSide = (typeof TRADE_SIDES)[number]
export type TradePhase = 'curve' | 'pool'

/** One swap of the token, identified and ordered by (block number, log index). */
export interface Trade {
  /** `<blockNumber>-<logIndex>` */
  readonly id: string
  readonly token: Address
  readonly pool: Hex
  readonly phase: TradePhase
  readonly side: TradeSide
  readonly maker: Address
  readonly amountToken: string
  /**
   * What the maker paid, fee included, or received, fee taken off, in the pool's currency, smallest units; `null` for trades that were
   * indexed by a version that knew no other currency than WETH.
   */
  readonly amountQuote: string | null
  /** The same in WETH (plain decimal); `null` where the currency's value in WETH is not known. */
  readonly amountWeth: string | null
  /** WETH per whole token: the average price of this trade without its fee. */
  readonly priceWeth: string | null
  /** The market's price after this trade, as candles show it. */
  readonly priceAfterWeth: string | null
  readonly priceUsd: string | null
  readonly valueUsd: string | null
  readonly feeWeth: string | null
  readonly blockNumber: string
  readonly blockHash: Hex
  readonly txHash: Hex
  /** The transaction's index in its block; `null`: indexed by a version that did not keep it. */
  readonly txIndex: number | null
  readonly logIndex: number
  readonly timestamp: string
}
