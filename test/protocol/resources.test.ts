import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import type { Candle } from '#domain/candle.ts'
import type { ChainStats } from '#domain/chainStats.ts'
import type { Claimable } from '#domain/claimable.ts'
import type { EthUsd } from '#domain/ethUsd.ts'
import type { ActorState, IndexerHealth } from '#domain/health.ts'
import type { Holder } from '#domain/holder.ts'
import { HOLDER_TYPES } from '#domain/holder.ts'
import type { Launchpad } from '#domain/launchpad.ts'
import type { Token } from '#domain/token.ts'
import type { Trade } from '#domain/trade.ts'
import type { ErrorMessage } from '#protocol/parseClientMessage.ts'
import type { errorSchema, tokenUpdateSchema } from '#protocol/schemas/messages.ts'
import type { actorStateSchema, indexerHealthSchema } from '#protocol/schemas/operations.ts'
import { problemSchema } from '#protocol/schemas/problem.ts'
import {
  candleSchema,
  type chainStatsSchema,
  claimableSchema,
  ethUsdSchema,
  type launchpadSchema,
  listSchema,
} from '#protocol/schemas/resources.ts'
import { holderSchema, tokenSchema, tradeSchema } from '#protocol/schemas/token.ts'
import type { TokenUpdate } from '#protocol/tokenUpdate.ts'
import { addressOf, hashOf, holdersOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'

/** The type with everything in it read-only, as the domain writes its types. */
type ReadOnly<T> = T extends string | number | boolean | null
  ? T
  : T extends readonly (infer Item)[]
    ? readonly ReadOnly<Item>[]
    : { readonly [Key in keyof T]: ReadOnly<T[Key]> }

/** `true` when neither type allows a value, or a field, that the other does not. */
type Same<A, B> = [A, Required<A>] extends [B, Required<B>] ? ([B, Required<B>] extends [A, Required<A>] ? true : false) : false

type Describes<Schema extends z.ZodType, Domain> = Same<ReadOnly<z.infer<Schema>>, Domain>

// Checked by the compiler: a schema that drifts from its domain type makes its entry `false`, and `tsc` stops here.
const proved: {
  token: Describes<typeof tokenSchema, Token>
  trade: Describes<typeof tradeSchema, Trade>
  holder: Describes<typeof holderSchema, Holder>
  candle: Describes<typeof candleSchema, Candle>
  claimable: Describes<typeof claimableSchema, Claimable>
  launchpad: Describes<typeof launchpadSchema, Launchpad>
  ethUsd: Describes<typeof ethUsdSchema, EthUsd>
  chainStats: Describes<typeof chainStatsSchema, ChainStats>
  indexerHealth: Describes<typeof indexerHealthSchema, IndexerHealth>
  actorState: Describes<typeof actorStateSchema, ActorState>
  tokenUpdate: Describes<typeof tokenUpdateSchema, TokenUpdate>
  error: Describes<typeof errorSchema, ErrorMessage>
} = {
  token: true,
  trade: true,
  holder: true,
  candle: true,
  claimable: true,
  launchpad: true,
  ethUsd: true,
  chainStats: true,
  indexerHealth: true,
  actorState: true,
  tokenUpdate: true,
  error: true,
}

describe('the resource schemas', () => {
  it('describe the types of the domain, no field more or less', () => {
    expect(Object.values(proved)).not.toContain(false)
    expect(holderSchema.shape.type.options).toEqual(HOLDER_TYPES)
  })

  it('accept a token, a trade and a holder', () => {
    const token = tokenOf(addressOf(1), 1795000000123)
    expect(tokenSchema.parse(token)).toEqual(token)
    expect(tradeSchema.parse(tradeOf(addressOf(1)))).toEqual(tradeOf(addressOf(1)))
    expect(listSchema(holderSchema).parse({ data: holdersOf(3), nextCursor: null, asOfBlock: '456' }).data).toEqual(holdersOf(3))
  })

  it.each([
    ['an address in upper case', { address: `0x${'A'.repeat(40)}` }],
    ['a number where a decimal string belongs', { totalSupply: 1000 }],
    ['an exponent', { totalSupply: '1e27' }],
    ['a sequence beyond the safe integers', { sequence: Number.MAX_SAFE_INTEGER + 1 }],
    ['a negative sequence', { sequence: -1 }],
    ['a time without milliseconds', { updatedAt: '2026-01-02T03:04:08Z' }],
    ['a missing value where null belongs', { pool: undefined }],
    ['an unknown graduation status', { graduation: { ...tokenOf(addressOf(1), 1).graduation, status: 'done' } }],
  ])('refuse %s', (_, change) => {
    expect(tokenSchema.safeParse({ ...tokenOf(addressOf(1), 1), ...change }).success).toBe(false)
  })

  it('accept what an escrow owes and how it is claimed', () => {
    const claimable: Claimable = {
      token: addressOf(1),
      creator: addressOf(2),
      asOfBlock: '456',
      claimable: [
        {
          currency: addressOf(3),
          symbol: 'WETH',
          decimals: 18,
          accrued: '410000000000000000',
          claimed: '100000000000000000',
          amount: '310000000000000000',
          amountUsd: null,
          scope: 'token',
          claim: { to: addressOf(4), data: '0x1e83409a' },
        },
      ],
    }
    expect(claimableSchema.parse(claimable)).toEqual(claimable)
  })

  it('accept prices, candles, statistics and problems', () => {
    expect(
      ethUsdSchema.safeParse({
        price: '3012.44',
        currency: 'USD',
        source: 'coingecko',
        fetchedAt: '2026-01-02T03:04:08.000Z',
        ageSeconds: 12,
        stale: false,
      }).success,
    ).toBe(true)
    expect(
      candleSchema.safeParse({ time: 1795000020, open: '1', high: '2.5', low: '0.1', close: '2', volume: '0', trades: 3 }).success,
    ).toBe(true)
    expect(
      problemSchema.safeParse({
        type: 'about:blank',
        title: 'Not Found',
        status: 404,
        detail: '0x… is not indexed',
        code: 'token_not_found',
        requestId: 'r1',
      }).success,
    ).toBe(true)
    expect(tokenSchema.safeParse(tokenOf(addressOf(1), 1, { createdTxHash: hashOf(7) })).success).toBe(true)
  })
})
