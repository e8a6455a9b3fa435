import type { Address, Hex } from './address.ts'

export type TradeSide = 'buy' | 'sell'
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
  /** WETH (plain decimal) that the maker paid, fee included, or received, fee taken off; `null` in a pool that is not quoted in WETH. */
  readonly amountWeth: string | null
  /** WETH per whole token: the average price of this trade without its fee. */
  readonly priceWeth: string | null
  readonly priceUsd: string | null
  readonly valueUsd: string | null
  readonly feeWeth: string | null
  readonly blockNumber: string
  readonly blockHash: Hex
  readonly txHash: Hex
  readonly logIndex: number
  readonly timestamp: string
}
