import { z } from 'zod'
import { LINK_KINDS } from '#domain/metadata.ts'
import { GRADUATION_STATUSES, POOL_TYPES } from '#domain/token.ts'
import type { Holder } from './holders.ts'
import { tokenParameter } from './parameters.ts'
import { defineResource } from './resource.ts'
import type { RecentTrades } from './trades.ts'
import {
  addressText,
  count,
  decimalText,
  hashText,
  integerText,
  MAY_GROW,
  percent,
  poolAddressText,
  SEQUENCE_MEANING,
  sequence,
  timeText,
  toUsd,
  type Wire,
} from './values.ts'

const perWindow = <T extends z.ZodType>(value: T) =>
  z.object({
    m5: value.describe('The last 5 minutes.'),
    h1: value.describe('The last hour.'),
    h6: value.describe('The last 6 hours.'),
    h24: value.describe('The last 24 hours.'),
  })

const market = z
  .object({
    priceQuote: decimalText
      .nullable()
      .describe(
        'Whole units of the pool’s quote currency per whole token. `null`: there is no price, or the currency’s decimals are unknown.',
      ),
    priceWeth: decimalText
      .nullable()
      .describe(
        'WETH per whole token: `priceQuote` times the quote currency’s rate as of the last trade, or as of a later block ' +
          'if that rate has moved by 0.5 %. `null`: the price or the rate is unknown.',
      ),
    priceUsd: decimalText
      .nullable()
      .describe('`priceWeth` in USD at the current ETH price, or `priceQuote` in USD by a peg of the quote currency. `null`: unknown.'),
    marketCapWeth: decimalText.nullable().describe('`priceWeth` times the total supply, in WETH. `null`: the price is unknown.'),
    marketCapUsd: decimalText.nullable().describe('`priceUsd` times the total supply. `null`: the price is unknown.'),
    liquidityWeth: decimalText
      .nullable()
      .describe('Twice the amount of the quote currency in the curve or pool, in WETH. `null`: unknown.'),
    liquidityUsd: decimalText.nullable().describe('The same in USD, valued as `priceUsd` is. `null`: unknown.'),
    volumeWeth: perWindow(decimalText.nullable()).describe(
      'Traded value per window, in WETH. `null`: the token has trades, but never had a price in WETH.',
    ),
    buyVolumeWeth: perWindow(decimalText.nullable()).describe('The part of `volumeWeth` from buys. `null` where `volumeWeth` is `null`.'),
    sellVolumeWeth: perWindow(decimalText.nullable()).describe('The part of `volumeWeth` from sells. `null` where `volumeWeth` is `null`.'),
    priceChange: perWindow(z.number().nullable()).describe(
      'Change in percent of the price in WETH, from the window’s start (of a younger token: from its first price) to ' +
        'the last trade. `null`: there is no price.',
    ),
    trades: perWindow(
      z.object({
        buys: count.describe('Number of buys.'),
        sells: count.describe('Number of sells.'),
        buyers: count.describe('Number of distinct makers of buys.'),
        sellers: count.describe('Number of distinct makers of sells.'),
      }),
    ).describe('Trades per window. An account that bought and sold is a buyer and a seller.'),
    tradeCount: count.describe('Number of all trades since the launch.'),
    holderCount: count.describe('Number of addresses with a balance, computed from transfers.'),
    lastTradeAt: timeText.nullable().describe('Block time of the last trade. `null`: none yet.'),
    athPriceWeth: decimalText
      .nullable()
      .describe('Highest price so far, after a trade or now, in WETH per whole token. `null`: the price was never known.'),
    athPriceUsd: decimalText
      .nullable()
      .describe(
        'Highest price after a trade so far in USD per whole token, each at what its quote currency was worth at its block: the highest of ' +
          'the candles in USD. `null`: there are no candles in USD.',
      ),
  })
  .meta({ id: 'Market', description: 'Prices, volumes and counts. Windows end at the time of the newest indexed block.' })

const pool = z
  .object({
    address: poolAddressText.describe(
      'Address of the contract; where one contract holds the curves of all tokens, of the token; or 32-byte id of a Uniswap v4 pool.',
    ),
    type: z.enum(POOL_TYPES).describe('Kind of pool; `curve`: the launchpad’s bonding curve.'),
    quoteToken: addressText.describe('Address of the currency that the token is traded against.'),
    quoteSymbol: z
      .string()
      .nullable()
      .describe('Symbol of that currency, as its contract returns it: untrusted text. `null`: it returns none.'),
    quoteDecimals: count
      .nullable()
      .describe('Decimals of that currency, as its contract returns them. `null`: it returns none, or more than 36.'),
    feeBps: z.number().nullable().describe('Fee of a trade in basis points; may be a fraction. `null`: set per trade by a hook.'),
    reserveToken: integerText
      .nullable()
      .describe('Tokens in the pool, in the smallest unit; in Uniswap v4 what its positions amount to, without fees. `null`: unknown.'),
    reserveQuote: integerText
      .nullable()
      .describe('Quote currency in the pool, in its smallest unit; in Uniswap v4 as of `reserveToken`. `null`: unknown.'),
    sqrtPriceX96: integerText.nullable().describe('Price of Uniswap v3 and v4 pools, as the contract holds it. `null`: other pools.'),
    tick: z.number().int().nullable().describe('Tick of Uniswap v3 and v4 pools. `null`: other pools.'),
    liquidity: integerText
      .nullable()
      .describe('Liquidity in range of Uniswap v3 and v4 pools, as the contract holds it. `null`: other pools.'),
  })
  .meta({ id: 'Pool', description: 'Where the token trades now, from the pool’s events.' })

const fees = z
  .object({
    creatorFeeBps: z.number().nullable().describe('The creator’s share of a trade, in basis points. `null`: unknown.'),
    accruedWeth: decimalText.nullable().describe('Earned by the creator so far, in WETH. `null`: unknown.'),
    claimedWeth: decimalText.nullable().describe('Paid out to the creator so far, in WETH. `null`: unknown.'),
    claimableWeth: decimalText.nullable().describe('What the creator can claim now, in WETH. `null`: unknown.'),
  })
  .meta({ id: 'Fees', description: 'The creator’s share of trading fees, from accrual and claim events.' })

const graduation = z
  .object({
    status: z
      .enum(GRADUATION_STATUSES)
      .describe(
        '`none`: the launchpad has no graduation; `bonding`: on the curve; `completed`: the target is reached, the pool ' +
          'not yet made; `migrated`: the pool is made.',
      ),
    percent: percent.nullable().describe('Share of the target that the curve has raised, 0 to 100. `null`: there is no target.'),
    raisedWeth: decimalText.nullable().describe('Raised by the curve, in WETH. `null`: unknown, or there is no target.'),
    targetWeth: decimalText.nullable().describe('Target of the curve, in WETH. `null`: unknown, or there is none.'),
    completedAt: timeText.nullable().describe('Block time at which the target was reached. `null`: not yet.'),
    migratedAt: timeText.nullable().describe('Block time at which the pool was made. `null`: not yet.'),
    poolAddress: poolAddressText.nullable().describe('The pool after the graduation. `null`: none yet.'),
    txHash: hashText.nullable().describe('Hash of the transaction of the graduation. `null`: none yet.'),
  })
  .meta({ id: 'Graduation', description: 'How far the token is on its way from the launchpad’s curve to a pool of its own.' })

const early = z
  .object({
    sniperPercent: percent.nullable().describe('Held by snipers.'),
    bundlerPercent: percent.nullable().describe('Held by bundlers.'),
    insiderPercent: percent.nullable().describe('Held by insiders.'),
    creatorPercent: percent.nullable().describe('Held by the creator.'),
  })
  .meta({
    id: 'Early',
    description:
      'What accounts that came by the token early hold now, in percent of the supply: `/api/tokens/{address}/early-wallets` has more. An ' +
      'account may be in several. `null`: not known, because an earlier version has indexed the token, or there is no supply.',
  })

export const tokenSchema = z
  .object({
    chainId: count.describe('EIP-155 id of the chain.'),
    address: addressText.describe('Address of the token.'),
    symbol: z.string().nullable().describe('Symbol, as its creator wrote it: untrusted text. `null`: unknown.'),
    name: z.string().nullable().describe('Name, as its creator wrote it: untrusted text. `null`: unknown.'),
    decimals: count.describe('Decimal places of a whole token.'),
    totalSupply: integerText.describe(
      'Total supply by events, in the smallest unit: what was minted, without what was sent to the zero address. A contract that lets anybody ' +
        'send there without burning counts that in its own `totalSupply()`, which is larger then; nobody can ever move it again.',
    ),
    creator: addressText.describe('Account that launched the token, from the launch event.'),
    admin: addressText
      .nullable()
      .describe(
        'Account that may change the image and metadata of a Clanker token now. It need not be paid any fees. `null`: the launchpad’s events name none.',
      ),
    launchpad: z.string().describe('Name of the launchpad in the operator’s `launchpads.json`.'),
    createdAt: timeText.describe('Block time of the launch.'),
    createdBlock: integerText.describe('Number of the block of the launch.'),
    createdTxHash: hashText.describe('Hash of the transaction of the launch.'),
    metadataUri: z.string().nullable().describe('URI of the creator’s metadata, or the document itself: untrusted text. `null`: none.'),
    imageUrl: z
      .string()
      .nullable()
      .describe(
        'Image that the token’s contract names, else the one behind the metadata URI: untrusted. `null`: none, or not fetched yet.',
      ),
    description: z.string().nullable().describe('Description behind the metadata URI: untrusted text. `null`: none, or not fetched yet.'),
    links: z
      .array(
        z.object({
          kind: z.enum(LINK_KINDS).describe(`\`website\` and \`other\`: as the creator says. The others: a link to that site. ${MAY_GROW}`),
          url: z.string().describe('An `https` address of at most 256 characters: untrusted.'),
        }),
      )
      .describe('Links behind the metadata URI, at most 8: untrusted, as the description is. Empty: none, or not fetched yet.'),
    surface: z
      .string()
      .nullable()
      .describe(
        'Front end that the launch names, in lower case: the `interface` of Clanker’s context (else its `platform`), or the address of Zora’s ' +
          'platform referrer: untrusted text. `null`: it names none.',
      ),
    market,
    pool: pool.nullable().describe('Where the token trades now, from the pool’s events. `null`: nowhere.'),
    fees,
    graduation,
    early,
    sequence: sequence.describe(SEQUENCE_MEANING),
    asOfBlock: integerText.describe('Number of the last block whose events changed what is shown of the token.'),
    updatedAt: timeText.describe('Time of the commit that gave `sequence`.'),
  })
  .meta({ id: 'Token', description: 'A token’s full state.' })

/** A token's full state as it goes over REST, WebSocket and SSE. USD values are `null` until `withUsd` fills them in. */
export type Token = Wire<typeof tokenSchema>
export type Pool = NonNullable<Token['pool']>

/** Fills in the USD values that no peg has given. */
export function withUsd(token: Token, ethUsd: string | null): Token {
  if (ethUsd === null) return token
  const { priceWeth, marketCapWeth, liquidityWeth, priceUsd, marketCapUsd, liquidityUsd } = token.market
  return {
    ...token,
    market: {
      ...token.market,
      priceUsd: priceUsd ?? toUsd(priceWeth, ethUsd),
      marketCapUsd: marketCapUsd ?? toUsd(marketCapWeth, ethUsd),
      liquidityUsd: liquidityUsd ?? toUsd(liquidityWeth, ethUsd),
    },
  }
}

export const token = defineResource({
  id: 'getToken',
  tag: 'Tokens',
  path: '/api/tokens/:address',
  summary: 'One token',
  parameters: z.object({ address: tokenParameter }),
  answer: tokenSchema,
  valued: (answer, { ethUsd }) => withUsd(answer, ethUsd),
})

/** The state that an update carries and that an actor starts with, all read in one transaction. */
export interface TokenSnapshot {
  readonly token: Token
  readonly recent: RecentTrades
  /** The largest 20 by balance. */
  readonly holders: readonly Holder[]
}

/** Fills in the USD values of the token. @param ethUsd USD per ETH as a plain decimal; `null`: not known */
export function snapshotWithUsd(snapshot: TokenSnapshot, ethUsd: string | null): TokenSnapshot {
  return ethUsd === null ? snapshot : { ...snapshot, token: withUsd(snapshot.token, ethUsd) }
}

/** What identifies a token beside other facts. */
export const tokenSummaryFields = {
  address: addressText.describe('Address of the token.'),
  symbol: z.string().nullable().describe('Symbol: untrusted text. `null`: unknown.'),
  name: z.string().nullable().describe('Name: untrusted text. `null`: unknown.'),
  decimals: count.describe('Decimal places of a whole token.'),
  imageUrl: z.string().nullable().describe('Image behind the metadata URI: untrusted. `null`: none, or not fetched yet.'),
  launchpad: z.string().describe('Name of the launchpad.'),
}
