import fc from 'fast-check'
import { toEventSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { type Hex, toAddress } from '#domain/address.ts'
import { formatDecimal } from '#domain/decimal.ts'
import { madePool } from '#launchpads/mapping/pools.ts'
import { swapFee } from '#launchpads/pools/poolTrade.ts'
import { concentratedState, decodeUniswapV3, priceFromSqrt, V3_TOPICS } from '#launchpads/pools/uniswapV3.ts'
import { MalformedLogError } from '#launchpads/words.ts'
import { testAddresses } from '#test/support/simulatedChain.ts'

const Q96 = 2n ** 96n

test('is one at the square-root price of one', () => {
  expect(formatDecimal(priceFromSqrt(Q96, { tokenIsToken0: true }, 18) ?? (0n as never))).toBe('1')
})

test('counts in whole tokens, whatever their decimals', () => {
  // One raw unit of a 6-decimal token for one wei: a whole token is 10^6 units, hence 10^-12 WETH.
  expect(formatDecimal(priceFromSqrt(Q96, { tokenIsToken0: true }, 6) ?? (0n as never))).toBe('0.000000000001')
})

test('is null for a pool that is not initialised', () => {
  expect(priceFromSqrt(0n, { tokenIsToken0: false }, 18)).toBeNull()
})

test('agrees with floating point in either token order', () => {
  fc.assert(
    fc.property(fc.integer({ min: -300_000, max: 300_000 }), fc.boolean(), (tick, tokenIsToken0) => {
      const sqrt = 1.0001 ** (tick / 2)
      const sqrtPriceX96 = (BigInt(Math.round(sqrt * 2 ** 52)) * Q96) / 2n ** 52n
      fc.pre(sqrtPriceX96 > 2n ** 60n)
      const price = Number(formatDecimal(priceFromSqrt(sqrtPriceX96, { tokenIsToken0 }, 18) ?? (0n as never)))
      const expected = tokenIsToken0 ? (Number(sqrtPriceX96) / 2 ** 96) ** 2 : (2 ** 96 / Number(sqrtPriceX96)) ** 2
      expect(Math.abs(price / expected - 1)).toBeLessThan(1e-9)
    }),
  )
})

test('takes the fee from the WETH of a buy, and of a sell what the withheld tokens are worth', () => {
  expect(swapFee('buy', 1_000_000n, 10_000n)).toBe(10_000n)
  expect(swapFee('buy', 1n, 10_000n)).toBe(1n)
  // 99 received of 100: one percent of the tokens stayed.
  expect(swapFee('sell', 99n * 10n ** 18n, 10_000n)).toBe(10n ** 18n)
  // A sell in a pool of which a launchpad said 10,000 basis points was divided by zero, and indexing never got past its block.
  expect(swapFee('sell', 1n, 1_000_000n)).toBeNull()
})

test('a state is read to the ends of its types, and past them is none: no column could hold it', () => {
  const lowest = 2n ** 256n - 2n ** 23n
  expect(concentratedState(2n ** 160n - 1n, lowest, 2n ** 128n - 1n)).toEqual({
    sqrtPriceX96: 2n ** 160n - 1n,
    tick: -(2 ** 23),
    liquidity: 2n ** 128n - 1n,
  })
  expect(concentratedState(0n, 2n ** 23n - 1n)).toEqual({ sqrtPriceX96: 0n, tick: 2 ** 23 - 1, liquidity: null })
  for (const [sqrtPriceX96, tick, liquidity] of [
    [2n ** 160n, 0n, 0n],
    [0n, 2n ** 23n, 0n],
    [0n, lowest - 1n, 0n],
    [0n, 2n ** 255n, 0n],
    [0n, 0n, 2n ** 128n],
  ] as const) {
    expect(() => concentratedState(sqrtPriceX96, tick, liquidity)).toThrow(MalformedLogError)
  }
})

describe('Slipstream, a fork of Uniswap v3', () => {
  const [token, quoteToken, pool, gauge] = testAddresses([1, 2, 3, 4])
  const facts = { address: pool, type: 'uniswap-v3', quoteToken, tokenIsToken0: true, feeBps: null } as const

  // Its gauge takes the fees of staked positions by an event of its own, so that the reserves had drifted.
  test('loses what its gauge collects', () => {
    const words = [7n, 11n].map(amount => amount.toString(16).padStart(64, '0'))
    const topics: readonly Hex[] = [toEventSelector('CollectFees(address,uint128,uint128)'), `0x${gauge.slice(2).padStart(64, '0')}`]
    const place = { blockNumber: 1, blockHash: '0x01', txHash: '0x02', txIndex: 0, logIndex: 0 } as const
    const log = { ...place, address: pool, topics, data: `0x${words.join('')}` } as const
    const transaction = { header: { number: 1, hash: '0x01', parentHash: '0x00', timestamp: 1 }, txHash: '0x02', logs: [] } as const
    expect(V3_TOPICS).toContain(topics[0])
    expect(decodeUniswapV3({ log, pool: facts, tokenDecimals: 18, at: { ...place, timestamp: 1, token }, transaction })).toMatchObject([
      { kind: 'poolChanged', reserves: { mode: 'move', token: -7n, quote: -11n } },
      { kind: 'joinExit', maker: gauge, amountToken: -7n, amountQuote: -11n },
    ])
  })

  test('has the addresses of its pools on Base', () => {
    const factory = '0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A'
    const codeHash = '0xffb9af9ea6d9e39da47392ecc7055277b9915b8bfc9f83f105821b7791a6ae30'
    const pair = [toAddress('0x4200000000000000000000000000000000000006'), toAddress('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913')] as const
    for (const currencies of [pair, [pair[1], pair[0]] as const])
      expect(madePool({ factory, codeHash, tickSpacing: 100 }, currencies, null)).toBe('0xb2cc224c1c9fee385f8ad6a55b4d94e92359dc59')
  })
})
