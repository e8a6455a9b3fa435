import { z } from 'zod'
import { address, callData, count, decimal, hash, integer, percent, poolAddress, sequence, time } from './values.ts'

/*
 * The resources as REST, WebSocket and SSE show them: the one description that servers, clients and documents are checked against. That
 * they are the types of src/domain is proved in test/protocol/resources.test.ts.
 */

const perWindow = <T extends z.ZodType>(value: T) => z.object({ m5: value, h1: value, h6: value, h24: value })

const market = z.object({
  priceWeth: decimal.nullable(),
  priceUsd: decimal.nullable(),
  marketCapWeth: decimal.nullable(),
  marketCapUsd: decimal.nullable(),
  liquidityWeth: decimal.nullable(),
  liquidityUsd: decimal.nullable(),
  volumeWeth: perWindow(decimal.nullable()),
  priceChange: perWindow(z.number().nullable()),
  trades: perWindow(z.object({ buys: count, sells: count })),
  tradeCount: count,
  holderCount: count,
  lastTradeAt: time.nullable(),
  athPriceWeth: decimal.nullable(),
})

const pool = z.object({
  address: poolAddress,
  type: z.enum(['curve', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4']),
  quoteToken: address,
  feeBps: z.number().nullable(),
  reserveToken: integer.nullable(),
  reserveQuote: integer.nullable(),
  sqrtPriceX96: integer.nullable(),
  tick: z.number().int().nullable(),
  liquidity: integer.nullable(),
})

const fees = z.object({
  creatorFeeBps: z.number().nullable(),
  accruedWeth: decimal.nullable(),
  claimedWeth: decimal.nullable(),
  claimableWeth: decimal.nullable(),
})

const graduation = z.object({
  status: z.enum(['none', 'bonding', 'completed', 'migrated']),
  percent: percent.nullable(),
  raisedWeth: decimal.nullable(),
  targetWeth: decimal.nullable(),
  completedAt: time.nullable(),
  migratedAt: time.nullable(),
  poolAddress: poolAddress.nullable(),
  txHash: hash.nullable(),
})

export const tokenSchema = z.object({
  chainId: count,
  address,
  symbol: z.string().nullable(),
  name: z.string().nullable(),
  decimals: count,
  totalSupply: integer,
  creator: address,
  launchpad: z.string(),
  createdAt: time,
  createdBlock: integer,
  createdTxHash: hash,
  metadataUri: z.string().nullable(),
  imageUrl: z.string().nullable(),
  description: z.string().nullable(),
  market,
  pool: pool.nullable(),
  fees,
  graduation,
  sequence,
  asOfBlock: integer,
  updatedAt: time,
})

export const tradeSchema = z.object({
  id: z.string().regex(/^\d+-\d+$/),
  token: address,
  pool: poolAddress,
  phase: z.enum(['curve', 'pool']),
  side: z.enum(['buy', 'sell']),
  maker: address,
  amountToken: integer,
  amountWeth: decimal.nullable(),
  priceWeth: decimal.nullable(),
  priceUsd: decimal.nullable(),
  valueUsd: decimal.nullable(),
  feeWeth: decimal.nullable(),
  blockNumber: integer,
  blockHash: hash,
  txHash: hash,
  logIndex: count,
  timestamp: time,
})

export const holderSchema = z.object({
  rank: count.min(1),
  address,
  balance: integer,
  percent,
  type: z.enum(['wallet', 'creator', 'pool', 'curve', 'locker', 'burn', 'contract']),
  lastChangedBlock: integer,
})

export const candleSchema = z.object({
  time: count,
  open: decimal,
  high: decimal,
  low: decimal,
  close: decimal,
  volume: decimal,
  trades: count,
})

export const claimableSchema = z.object({
  token: address,
  creator: address,
  asOfBlock: integer,
  claimable: z.array(
    z.object({
      currency: address,
      symbol: z.string().nullable(),
      decimals: count.nullable(),
      accrued: integer.nullable(),
      claimed: integer,
      amount: integer.nullable(),
      amountUsd: decimal.nullable(),
      scope: z.enum(['token', 'creator']),
      claim: z.object({ to: address, data: callData }).nullable(),
    }),
  ),
})

export const ethUsdSchema = z.object({
  price: decimal,
  currency: z.literal('USD'),
  source: z.enum(['coingecko', 'coinbase']),
  fetchedAt: time,
  ageSeconds: z.number().min(0),
  stale: z.boolean(),
})

export const chainStatsSchema = z.object({
  chainId: count,
  headBlock: integer.nullable(),
  indexedBlock: integer,
  blockTimeMs: z.number().min(0).nullable(),
  baseFeeGwei: decimal.nullable(),
  tokens: count,
  tokens24h: count,
  bonding: count,
  completed: count,
  migrated: count,
  trades24h: count,
  traders24h: count,
  volumeWeth24h: decimal,
  volumeUsd24h: decimal.nullable(),
  liquidityWeth: decimal,
  asOfBlock: integer,
  updatedAt: time,
})

/** The envelope of every list; `nextCursor` is opaque and `null` on the last page. */
export const listSchema = <T extends z.ZodType>(item: T) => z.object({ data: z.array(item), nextCursor: z.string().nullable() })

/** RFC 9457. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int().min(400).max(599),
  detail: z.string(),
  code: z.string().regex(/^[a-z][a-z0-9_]*$/),
  requestId: z.string(),
})
