import type { Address, Hex } from '#domain/address.ts'
import type { Candle } from '#domain/candle.ts'
import type { ChainStats } from '#domain/chainStats.ts'
import type { Claimable } from '#domain/claimable.ts'
import type { EthUsd } from '#domain/ethUsd.ts'
import type { ActorState, IndexerHealth } from '#domain/health.ts'
import type { Holder } from '#domain/holder.ts'
import type { PerWindow, Token } from '#domain/token.ts'
import type { Trade } from '#domain/trade.ts'
import type { Problem } from './problem.ts'
import { choice, flag, list, map, nullable, number, object, pattern, type Schema, text, whole } from './schema.ts'
import type { Page } from './tokenwire.ts'

/*
 * What the server promises, once more and small. The compiler holds every schema against its type, and test/client/resources.test.ts
 * against the server's schema, so that none can drift from the other.
 */

const address = pattern<Address>(/^0x[0-9a-f]{40}$/)
const hash = pattern<Hex>(/^0x[0-9a-f]{64}$/)
const poolAddress = pattern<Hex>(/^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
const integer = pattern(/^(?:0|[1-9][0-9]*)$/)
const decimal = pattern(/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/)
const time = pattern(/^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
const count = whole(0)
const positive = number(0)
const percent = number(0, 100)
const orInteger = nullable(integer)
const orDecimal = nullable(decimal)
const orTime = nullable(time)
const orText = nullable(text)
const orNumber = nullable(number())
const orPositive = nullable(positive)

const perWindow = <T>(value: Schema<T>): Schema<PerWindow<T>> => object({ m5: value, h1: value, h6: value, h24: value })

export const sequenceSchema = count
export const integerSchema = integer
export const timeSchema = time
export const addressSchema = address

export const tokenSchema: Schema<Token> = object({
  chainId: count,
  address,
  symbol: orText,
  name: orText,
  decimals: count,
  totalSupply: integer,
  creator: address,
  launchpad: text,
  createdAt: time,
  createdBlock: integer,
  createdTxHash: hash,
  metadataUri: orText,
  imageUrl: orText,
  description: orText,
  market: object({
    priceWeth: orDecimal,
    priceUsd: orDecimal,
    marketCapWeth: orDecimal,
    marketCapUsd: orDecimal,
    liquidityWeth: orDecimal,
    liquidityUsd: orDecimal,
    volumeWeth: perWindow(orDecimal),
    priceChange: perWindow(orNumber),
    trades: perWindow(object({ buys: count, sells: count })),
    tradeCount: count,
    holderCount: count,
    lastTradeAt: orTime,
    athPriceWeth: orDecimal,
  }),
  pool: nullable(
    object({
      address: poolAddress,
      type: choice('curve', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4'),
      quoteToken: address,
      feeBps: orNumber,
      reserveToken: orInteger,
      reserveQuote: orInteger,
      sqrtPriceX96: orInteger,
      tick: nullable(whole()),
      liquidity: orInteger,
    }),
  ),
  fees: object({ creatorFeeBps: orNumber, accruedWeth: orDecimal, claimedWeth: orDecimal, claimableWeth: orDecimal }),
  graduation: object({
    status: choice('none', 'bonding', 'completed', 'migrated'),
    percent: nullable(percent),
    raisedWeth: orDecimal,
    targetWeth: orDecimal,
    completedAt: orTime,
    migratedAt: orTime,
    poolAddress: nullable(poolAddress),
    txHash: nullable(hash),
  }),
  sequence: count,
  asOfBlock: integer,
  updatedAt: time,
})

export const tradeSchema: Schema<Trade> = object({
  id: pattern(/^\d+-\d+$/),
  token: address,
  pool: poolAddress,
  phase: choice('curve', 'pool'),
  side: choice('buy', 'sell'),
  maker: address,
  amountToken: integer,
  amountWeth: orDecimal,
  priceWeth: orDecimal,
  priceUsd: orDecimal,
  valueUsd: orDecimal,
  feeWeth: orDecimal,
  blockNumber: integer,
  blockHash: hash,
  txHash: hash,
  logIndex: count,
  timestamp: time,
})

export const holderSchema: Schema<Holder> = object({
  rank: whole(1),
  address,
  balance: integer,
  percent,
  type: choice('wallet', 'creator', 'pool', 'curve', 'locker', 'burn', 'contract'),
  lastChangedBlock: integer,
})

export const candleSchema: Schema<Candle> = object({
  time: count,
  open: decimal,
  high: decimal,
  low: decimal,
  close: decimal,
  volume: decimal,
  trades: count,
})

export const claimableSchema: Schema<Claimable> = object({
  token: address,
  creator: address,
  asOfBlock: integer,
  claimable: list(
    object({
      currency: address,
      symbol: orText,
      decimals: nullable(count),
      accrued: orInteger,
      claimed: integer,
      amount: orInteger,
      amountUsd: orDecimal,
      scope: choice('token', 'creator'),
      claim: nullable(object({ to: address, data: pattern<Hex>(/^0x(?:[0-9a-f]{2})*$/) })),
    }),
  ),
})

export const ethUsdSchema: Schema<EthUsd> = object({
  price: decimal,
  currency: choice('USD'),
  source: choice('coingecko', 'coinbase'),
  fetchedAt: time,
  ageSeconds: positive,
  stale: flag,
})

export const chainStatsSchema: Schema<ChainStats> = object({
  chainId: count,
  headBlock: orInteger,
  indexedBlock: integer,
  blockTimeMs: orPositive,
  baseFeeGwei: orDecimal,
  tokens: count,
  tokens24h: count,
  bonding: count,
  completed: count,
  migrated: count,
  trades24h: count,
  traders24h: count,
  volumeWeth24h: decimal,
  volumeUsd24h: orDecimal,
  liquidityWeth: decimal,
  asOfBlock: integer,
  updatedAt: time,
})

export const indexerHealthSchema: Schema<IndexerHealth> = object({
  status: choice('ok', 'syncing', 'stalled', 'degraded'),
  version: text,
  uptimeSeconds: positive,
  chainId: count,
  headBlock: orInteger,
  confirmedBlock: orInteger,
  indexedBlock: orInteger,
  lagBlocks: orNumber,
  lagSeconds: orNumber,
  backfill: nullable(
    object({
      fromBlock: integer,
      toBlock: integer,
      currentBlock: integer,
      percent,
      blocksPerSecond: positive,
      eventsPerSecond: positive,
      secondsLeft: orPositive,
    }),
  ),
  reorgs: object({ count, lastDepth: nullable(count), lastAt: orTime }),
  rpc: list(object({ name: text, healthy: flag, latencyMs: orPositive, errorRate: number(0, 1) })),
  database: object({ ok: flag, latencyMs: orPositive }),
  actors: object({ total: count, byState: map(count), subscribers: count }),
  realtime: object({
    webSocketConnections: count,
    eventStreams: count,
    subscriptions: count,
    updatesPerSecond: positive,
    deliveredTotal: count,
    conflatedTotal: count,
    commitToDeliveryMs: object({ p50: orPositive, p99: orPositive }),
  }),
  reasons: list(text),
})

export const actorStateSchema: Schema<ActorState> = object({
  token: address,
  state: choice('activating', 'live', 'resyncing', 'passivated'),
  sequence: nullable(count),
  subscribers: object({ webSocket: count, eventStream: count, lagging: count }),
  lastUpdateAt: orTime,
  lastBlock: orInteger,
  frameBytes: nullable(count),
  activatedAt: time,
  eventsHandled: count,
  conflated: count,
})

export const problemSchema: Schema<Problem> = object({
  type: text,
  title: text,
  status: whole(400),
  detail: text,
  code: pattern(/^[a-z][a-z0-9_]*$/),
  requestId: text,
})

export const pageSchema = <T>(item: Schema<T>): Schema<Page<T>> => object({ data: list(item), nextCursor: orText })
