import type { Hex } from '#domain/address.ts'
import type { Claimable, ClaimableAmount, WalletClaim } from '#domain/claimable.ts'
import type { Holding } from '#domain/holding.ts'
import type { Trader } from '#domain/trader.ts'
import type { Wallet } from '#domain/wallet.ts'
import {
  addressShape as address,
  sequenceShape as count,
  decimalOrNullShape as decimal,
  decimalShape,
  holderTypeShape,
  integerShape as integer,
  percentShape as percent,
  textOrNullShape as text,
  timeShape as time,
} from './resourceShapes.ts'
import { choice, listOf, nullable, object, pattern, type Shape, string } from './shape.ts'

const integerOrNull = nullable(integer)
const valuedBalance = {
  balance: integerOrNull,
  percent: nullable(percent),
  valueWeth: decimal,
  valueUsd: decimal,
  costWeth: decimal,
  costUsd: decimal,
  averageCostWeth: decimal,
  averageCostUsd: decimal,
  unrealizedWeth: decimal,
  unrealizedUsd: decimal,
  realizedWeth: decimal,
  realizedUsd: decimal,
}

export const traderShape: Shape<Trader> = object({
  address,
  type: holderTypeShape,
  buys: count,
  sells: count,
  boughtToken: integer,
  soldToken: integer,
  boughtWeth: decimal,
  boughtUsd: decimal,
  soldWeth: decimal,
  soldUsd: decimal,
  volumeWeth: decimal,
  volumeUsd: decimal,
  ...valuedBalance,
  firstTradeAt: time,
  lastTradeAt: time,
})

export const holdingShape: Shape<Holding> = object({
  token: object({
    address,
    symbol: text,
    name: text,
    decimals: count,
    imageUrl: text,
    launchpad: string,
    priceWeth: decimal,
    priceUsd: decimal,
  }),
  ...valuedBalance,
  lastChangedBlock: integer,
})

export const walletShape: Shape<Wallet> = object({
  address,
  tokensHeld: nullable(count),
  valueWeth: decimal,
  valueUsd: decimal,
  trades: count,
  tokensTraded: count,
  volumeWeth: decimalShape,
  realizedWeth: decimal,
  realizedUsd: decimal,
  tokensWithoutWethProfit: count,
  tokensWithoutUsdProfit: count,
  tokensCreated: count,
  firstSeenAt: nullable(time),
  lastSeenAt: nullable(time),
  asOfBlock: integerOrNull,
})

type Fields<T> = { readonly [K in keyof T]-?: Shape<T[K]> }

const claimableAmount: Fields<ClaimableAmount> = {
  currency: address,
  symbol: text,
  decimals: nullable(count),
  accrued: integerOrNull,
  claimed: integer,
  amount: integerOrNull,
  amountUsd: decimal,
  scope: choice('token', 'creator'),
  claim: nullable(object({ to: address, data: pattern<Hex>(/^0x(?:[0-9a-f]{2})*$/) })),
}

export const claimableShape: Shape<Claimable> = object({
  token: address,
  creator: address,
  asOfBlock: integer,
  claimable: listOf(object(claimableAmount)),
})

export const walletClaimShape: Shape<WalletClaim> = object({
  ...claimableAmount,
  launchpad: string,
  token: nullable(address),
  asOfBlock: integer,
})
