import { z } from 'zod'
import {
  addressText,
  callDataText,
  count,
  decimalText,
  hashText,
  integerText,
  percent,
  poolAddressText,
  sequence,
  timeText,
} from './values.ts'

/*
 * The resources of REST, WebSocket and SSE. Answers of the server and the shapes of the client are compared with these schemas;
 * test/protocol/resources.test.ts checks that they match the types of src/domain.
 */

const perWindow = <T extends z.ZodType>(value: T) => z.object({ m5: value, h1: value, h6: value, h24: value })

const market = z.object({
  priceWeth: decimalText.nullable(),
  priceUsd: decimalText.nullable(),
  marketCapWeth: decimalText.nullable(),
  marketCapUsd: decimalText.nullable(),
  liquidityWeth: decimalText.nullable(),
  liquidityUsd: decimalText.nullable(),
  volumeWeth: perWindow(decimalText.nullable()),
  priceChange: perWindow(z.number().nullable()),
  trades: perWindow(z.object({ buys: count, sells: count })),
  tradeCount: count,
  holderCount: count,
  lastTradeAt: timeText.nullable(),
  athPriceWeth: decimalText.nullable(),
})

const pool = z.object({
  address: poolAddressText,
  type: z.enum(['curve', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4']),
  quoteToken: addressText,
  feeBps: z.number().nullable(),
  reserveToken: integerText.nullable(),
  reserveQuote: integerText.nullable(),
  sqrtPriceX96: integerText.nullable(),
  tick: z.number().int().nullable(),
  liquidity: integerText.nullable(),
})

const fees = z.object({
  creatorFeeBps: z.number().nullable(),
  accruedWeth: decimalText.nullable(),
  claimedWeth: decimalText.nullable(),
  claimableWeth: decimalText.nullable(),
})

const graduation = z.object({
  status: z.enum(['none', 'bonding', 'completed', 'migrated']),
  percent: percent.nullable(),
  raisedWeth: decimalText.nullable(),
  targetWeth: decimalText.nullable(),
  completedAt: timeText.nullable(),
  migratedAt: timeText.nullable(),
  poolAddress: poolAddressText.nullable(),
  txHash: hashText.nullable(),
})

export const tokenSchema = z.object({
  chainId: count,
  address: addressText,
  symbol: z.string().nullable(),
  name: z.string().nullable(),
  decimals: count,
  totalSupply: integerText,
  creator: addressText,
  launchpad: z.string(),
  createdAt: timeText,
  createdBlock: integerText,
  createdTxHash: hashText,
  metadataUri: z.string().nullable(),
  imageUrl: z.string().nullable(),
  description: z.string().nullable(),
  market,
  pool: pool.nullable(),
  fees,
  graduation,
  sequence,
  asOfBlock: integerText,
  updatedAt: timeText,
})

export const tradeSchema = z.object({
  id: z.string().regex(/^\d+-\d+$/),
  token: addressText,
  pool: poolAddressText,
  phase: z.enum(['curve', 'pool']),
  side: z.enum(['buy', 'sell']),
  maker: addressText,
  amountToken: integerText,
  amountWeth: decimalText.nullable(),
  priceWeth: decimalText.nullable(),
  priceUsd: decimalText.nullable(),
  valueUsd: decimalText.nullable(),
  feeWeth: decimalText.nullable(),
  blockNumber: integerText,
  blockHash: hashText,
  txHash: hashText,
  logIndex: count,
  timestamp: timeText,
})

export const holderSchema = z.object({
  rank: count.min(1),
  address: addressText,
  balance: integerText,
  percent,
  type: z.enum(['wallet', 'creator', 'pool', 'curve', 'locker', 'burn', 'contract']),
  lastChangedBlock: integerText,
})

export const candleSchema = z.object({
  time: count,
  open: decimalText,
  high: decimalText,
  low: decimalText,
  close: decimalText,
  volume: decimalText,
  trades: count,
})

export const claimableSchema = z.object({
  token: addressText,
  creator: addressText,
  asOfBlock: integerText,
  claimable: z.array(
    z.object({
      currency: addressText,
      symbol: z.string().nullable(),
      decimals: count.nullable(),
      accrued: integerText.nullable(),
      claimed: integerText,
      amount: integerText.nullable(),
      amountUsd: decimalText.nullable(),
      scope: z.enum(['token', 'creator']),
      claim: z.object({ to: addressText, data: callDataText }).nullable(),
    }),
  ),
})

export const ethUsdSchema = z.object({
  price: decimalText,
  currency: z.literal('USD'),
  source: z.enum(['coingecko', 'coinbase']),
  fetchedAt: timeText,
  ageSeconds: z.number().min(0),
  stale: z.boolean(),
})

export const chainStatsSchema = z.object({
  chainId: count,
  headBlock: integerText.nullable(),
  indexedBlock: integerText,
  blockTimeMs: z.number().min(0).nullable(),
  baseFeeGwei: decimalText.nullable(),
  tokens: count,
  tokens24h: count,
  bonding: count,
  completed: count,
  migrated: count,
  trades24h: count,
  traders24h: count,
  volumeWeth24h: decimalText,
  volumeUsd24h: decimalText.nullable(),
  liquidityWeth: decimalText,
  asOfBlock: integerText,
  updatedAt: timeText,
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
