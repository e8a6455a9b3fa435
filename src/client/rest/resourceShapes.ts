import type { Address, Hex } from '#domain/address.ts'
import type { Candle } from '#domain/candle.ts'
import type { ChainStats } from '#domain/chainStats.ts'
import type { EthUsd } from '#domain/ethUsd.ts'
import type { Holder, HolderType } from '#domain/holder.ts'
import type { PerWindow, Token } from '#domain/token.ts'
import type { Trade } from '#domain/trade.ts'
import { boolean, choice, nullable, number, object, pattern, type Shape, string, whole } from './shape.ts'

/* The compiler checks each shape against its type, and test/client/resourceShapes.test.ts against a schema. */

const address = pattern<Address>(/^0x[0-9a-f]{40}$/)
const hash = pattern<Hex>(/^0x[0-9a-f]{64}$/)
const poolAddress = pattern<Hex>(/^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
const integer = pattern(/^(?:0|[1-9][0-9]*)$/)
const decimal = pattern(/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/)
const time = pattern(/^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
const count = whole(0)
const positive = number(0)
const percent = number(0, 100)
const integerOrNull = nullable(integer)
const decimalOrNull = nullable(decimal)
const timeOrNull = nullable(time)
const stringOrNull = nullable(string)
const positiveOrNull = nullable(positive)
const perWindow = <T>(value: Shape<T>): Shape<PerWindow<T>> => object({ m5: value, h1: value, h6: value, h24: value })

export {
  address as addressShape,
  count as sequenceShape,
  decimal as decimalShape,
  decimalOrNull as decimalOrNullShape,
  integer as integerShape,
  percent as percentShape,
  stringOrNull as textOrNullShape,
  time as timeShape,
}

export const tokenShape: Shape<Token> = object({
  chainId: count,
  address,
  symbol: stringOrNull,
  name: stringOrNull,
  decimals: count,
  totalSupply: integer,
  creator: address,
  admin: nullable(address),
  launchpad: string,
  createdAt: time,
  createdBlock: integer,
  createdTxHash: hash,
  metadataUri: stringOrNull,
  imageUrl: stringOrNull,
  description: stringOrNull,
  market: object({
    priceQuote: decimalOrNull,
    priceWeth: decimalOrNull,
    priceUsd: decimalOrNull,
    marketCapWeth: decimalOrNull,
    marketCapUsd: decimalOrNull,
    liquidityWeth: decimalOrNull,
    liquidityUsd: decimalOrNull,
    volumeWeth: perWindow(decimalOrNull),
    buyVolumeWeth: perWindow(decimalOrNull),
    sellVolumeWeth: perWindow(decimalOrNull),
    priceChange: perWindow(nullable(number())),
    trades: perWindow(object({ buys: count, sells: count, buyers: count, sellers: count })),
    tradeCount: count,
    holderCount: count,
    lastTradeAt: timeOrNull,
    athPriceWeth: decimalOrNull,
  }),
  pool: nullable(
    object({
      address: poolAddress,
      type: choice('curve', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4'),
      quoteToken: address,
      quoteSymbol: stringOrNull,
      quoteDecimals: nullable(count),
      feeBps: nullable(number()),
      reserveToken: integerOrNull,
      reserveQuote: integerOrNull,
      sqrtPriceX96: integerOrNull,
      tick: nullable(whole()),
      liquidity: integerOrNull,
    }),
  ),
  fees: object({ creatorFeeBps: nullable(number()), accruedWeth: decimalOrNull, claimedWeth: decimalOrNull, claimableWeth: decimalOrNull }),
  graduation: object({
    status: choice('none', 'bonding', 'completed', 'migrated'),
    percent: nullable(percent),
    raisedWeth: decimalOrNull,
    targetWeth: decimalOrNull,
    completedAt: timeOrNull,
    migratedAt: timeOrNull,
    poolAddress: nullable(poolAddress),
    txHash: nullable(hash),
  }),
  sequence: count,
  asOfBlock: integer,
  updatedAt: time,
})

export const tradeShape: Shape<Trade> = object({
  id: pattern(/^\d+-\d+$/),
  token: address,
  pool: poolAddress,
  phase: choice('curve', 'pool'),
  side: choice('buy', 'sell'),
  maker: address,
  amountToken: integer,
  amountQuote: integerOrNull,
  amountWeth: decimalOrNull,
  priceWeth: decimalOrNull,
  priceAfterWeth: decimalOrNull,
  priceUsd: decimalOrNull,
  valueUsd: decimalOrNull,
  feeWeth: decimalOrNull,
  blockNumber: integer,
  blockHash: hash,
  txHash: hash,
  txIndex: nullable(count),
  logIndex: count,
  timestamp: time,
})

export const holderTypeShape: Shape<HolderType> = choice('wallet', 'creator', 'pool', 'curve', 'locker', 'burn', 'contract')

export const holderShape: Shape<Holder> = object({
  rank: whole(1),
  address,
  balance: integer,
  percent,
  type: holderTypeShape,
  lastChangedBlock: integer,
})

export const candleShape: Shape<Candle> = object({
  time: count,
  open: decimal,
  high: decimal,
  low: decimal,
  close: decimal,
  volume: decimal,
  trades: count,
})

export const ethUsdShape: Shape<EthUsd> = object({
  price: decimal,
  currency: choice('USD'),
  source: choice('coingecko', 'coinbase', 'simulated'),
  fetchedAt: time,
  ageSeconds: positive,
  stale: boolean,
})

export const chainStatsShape: Shape<ChainStats> = object({
  chainId: count,
  headBlock: integerOrNull,
  indexedBlock: integer,
  blockTimeMs: positiveOrNull,
  baseFeeGwei: decimalOrNull,
  tokens: count,
  tokens24h: count,
  bonding: count,
  completed: count,
  migrated: count,
  trades24h: count,
  traders24h: count,
  volumeWeth24h: decimal,
  volumeUsd24h: decimalOrNull,
  liquidityWeth: decimal,
  asOfBlock: integer,
  updatedAt: time,
})
