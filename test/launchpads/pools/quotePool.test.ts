import { encodeAbiParameters, type Hex, parseAbiParameters, toEventSelector, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { LaunchpadsConfig } from '#config'
import { parseLaunchpads } from '#configuration/launchpads.ts'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { type Decimal, formatDecimal } from '#domain/decimal.ts'
import { ADAPTER_KINDS, createAdapters } from '#launchpads/registry.ts'
import { followLogs, type LogBlock } from '#test/support/followLogs.ts'
import type { MemoryRows } from '#test/support/memoryRows.ts'
import { type NewLog, testAddress, testAddresses } from '#test/support/simulatedChain.ts'
import { topic, transferLog, words } from '#test/support/simulatedLogs.ts'

// What quote currencies are worth by the pools that the configuration names, and by their own market in the index.

const [WETH, FACTORY, LOCKER, UNISWAP, CREATOR, BUYER] = testAddresses([900, 10, 11, 12, 1, 2])
/** Each currency's own addresses lie below WETH's: in its pools it is token0. */
const [DOLLAR, EURO, YEN, POUND, TOKEN, OTHER] = testAddresses([100, 101, 102, 103, 50, 40])
const Q96 = 2n ** 96n
const V3_SWAP = toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)')
const SYNC = toEventSelector('Sync(uint112,uint112)')
const CLANKER = {
  name: 'clanker',
  adapter: 'clanker-v3.1',
  startBlock: 1,
  contracts: { factory: FACTORY, locker: LOCKER, uniswapFactory: UNISWAP },
}

describe('an entry quote-pool', () => {
  const ID = `0x${'aB'.repeat(32)}`
  const read = (fields: object) =>
    parseLaunchpads(
      JSON.stringify({ weth: WETH, launchpads: [{ name: 'dollars', adapter: 'quote-pool', startBlock: 1, token: DOLLAR, ...fields }] }),
      ADAPTER_KINDS,
    )

  it.each([
    [{ pool: POUND }, POUND],
    [{ pool: POUND, poolType: 'uniswap-v2' }, POUND],
    [{ poolType: 'uniswap-v4', poolManager: POUND, poolId: ID }, ID.toLowerCase()],
    [{ poolType: 'uniswap-v4', poolManager: POUND, poolId: ID, against: ZERO_ADDRESS }, ID.toLowerCase()],
  ])('names a pool by %j', (fields, key) => {
    const parsed = read(fields)
    const [adapter] = parsed.kind === 'valid' ? createAdapters(parsed.value) : []
    expect(adapter?.quotePool?.key).toBe(key)
  })

  // ETH and USDC on Ethereum, without hooks.
  const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
  const ETH_USDC = '0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27'
  const POOL = { poolType: 'uniswap-v4', poolManager: POUND, token: USDC, against: ZERO_ADDRESS, poolId: ETH_USDC }
  const KEY = { fee: 500, tickSpacing: 10, hooks: ZERO_ADDRESS }

  it('has the pool of its currencies and its key', () => {
    expect(read({ ...POOL, poolKey: KEY })).toMatchObject({ kind: 'valid' })
    const refusal = /^launchpads\[0\]\.poolId: expected 0x[0-9a-f]{64}, the id of the pool of token, against and poolKey, got 0x21c6/
    for (const other of [{ against: YEN }, { token: YEN }, { poolKey: { ...KEY, fee: 3_000 } }, { poolKey: { ...KEY, hooks: POUND } }]) {
      expect(read({ ...POOL, poolKey: KEY, ...other })).toEqual({ kind: 'invalid', problems: [expect.stringMatching(refusal)] })
    }
  })

  it.each([
    [{}, '.pool: missing, a pool of uniswap-v3 has one'],
    [{ pool: DOLLAR }, '.pool: expected a pool of the token and another one'],
    [{ pool: POUND, poolId: ID }, '.poolId: a pool of uniswap-v3 has none'],
    [{ poolType: 'uniswap-v4', poolManager: POUND }, '.poolId: missing, a pool of uniswap-v4 has one'],
    [{ poolType: 'uniswap-v4', poolManager: POUND, poolId: ID, pool: YEN }, '.pool: a pool of uniswap-v4 has none'],
    [{ pool: POUND, poolId: '0x12' }, '.poolId: expected the id of a Uniswap v4 pool, 0x and 64 hex digits, got "0x12"'],
    [{ pool: POUND, poolKey: KEY }, '.poolKey: a pool of uniswap-v3 has none'],
    [{ ...POOL, poolKey: 500 }, '.poolKey: expected fee, tickSpacing and hooks of a Uniswap v4 pool, got 500'],
    [{ ...POOL, poolKey: { ...KEY, tickSpacing: 0 } }, '.poolKey.tickSpacing: expected a whole number from 1 to 32767, got 0'],
  ])('is refused with %j', (fields, problem) => {
    expect(read(fields)).toEqual({ kind: 'invalid', problems: [`launchpads[0]${problem}`] })
  })
})

it.each([
  [{ pool: POUND }, { pool: POUND.toUpperCase().replace('0X', '0x') }, 'pool', POUND],
  [
    { poolType: 'uniswap-v4', poolManager: POUND, poolId: `0x${'aB'.repeat(32)}` },
    { poolType: 'uniswap-v4', poolManager: POUND, poolId: `0x${'Ab'.repeat(32)}` },
    'poolId',
    `0x${'ab'.repeat(32)}`,
  ],
])('two entries of one pool are refused, as each swap would have to count for one of them: %j', (one, other, field, key) => {
  const launchpads = [one, other].map((fields, nth) => ({
    name: `n${nth}`,
    adapter: 'quote-pool',
    startBlock: 1,
    token: DOLLAR,
    ...fields,
  }))
  expect(parseLaunchpads(JSON.stringify({ weth: WETH, launchpads }), ADAPTER_KINDS)).toEqual({
    kind: 'invalid',
    problems: [`launchpads[1].${field}: ${key} is the ${field} of launchpads[0] already`],
  })
})

const text = (value: Decimal | null) => (value === null ? null : formatDecimal(value))

describe('a peg', () => {
  /** A whole dollar is a million of its smallest units. */
  const PEG = [{ token: DOLLAR, decimals: 6 }]
  const shownOf = async (pegUsd: LaunchpadsConfig['pegUsd'], pools: readonly ReturnType<typeof quote>[], ...logs: readonly NewLog[]) => {
    const { tokens, trades, candles, balances } = await follow(pools, [[logs], [launch(TOKEN, DOLLAR)], [buy(TOKEN, DOLLAR)]], pegUsd)
    const token = tokens.get(TOKEN)
    const candle = [...candles.values()].find(({ intervalSeconds }) => intervalSeconds === 60)
    const numbers = [
      token?.quoteUsd,
      token?.priceWeth,
      trades[0]?.valueUsd,
      trades[0]?.priceUsd,
      candle?.closeUsd,
      candle?.volumeUsd,
      candle?.close,
    ]
    return [...numbers.map(value => text(value ?? null)), balances.get(`${TOKEN}${BUYER}`)?.boughtUsd]
  }

  it('gives values in USD where the configuration has one, whatever is known of WETH', async () => {
    // A price of 1 is 10^18 smallest units. Four of 10^18 are paid, of which the pool takes 1 %.
    const [trillion, four] = ['1000000000000', '4000000000000']
    const pegged = [trillion, null, four, '3960000000000', trillion, four, null, 4n * 10n ** 30n]
    expect(await shownOf(PEG, [])).toEqual(pegged)
    const inWeth = await shownOf(PEG, [quote(DOLLAR)], swap(poolOf(DOLLAR, WETH), 3n))
    expect(inWeth).toEqual([trillion, '9', four, '3960000000000', trillion, four, '9', 4n * 10n ** 30n])
    expect(await shownOf([], [])).toEqual([null, null, null, null, null, null, null, null])
    expect(await shownOf([], [quote(DOLLAR)], swap(poolOf(DOLLAR, WETH), 3n))).toEqual([null, '9', null, null, null, null, '9', null])
  })

  it('ends the route of a currency that has no worth in WETH', async () => {
    const ofEuro = async (...pools: readonly ReturnType<typeof quote>[]) => {
      const prices: LogBlock = [[swap(poolOf(EURO, DOLLAR), 2n, { inverse: true })], [swap(poolOf(EURO, WETH), 3n)]]
      const { tokens } = await follow(pools, [prices, [launch(TOKEN, EURO)], [buy(TOKEN, EURO)]], PEG)
      const token = tokens.get(TOKEN)
      return [token?.quoteUsd, token?.priceWeth].map(value => text(value ?? null))
    }
    expect(await ofEuro(quote(EURO, DOLLAR))).toEqual(['4000000000000', null])
    expect(await ofEuro(quote(EURO, DOLLAR), quote(EURO))).toEqual([null, '9'])
  })
})

describe('a token in another currency', () => {
  it('has prices, amounts, volume and liquidity at what the currency was worth in the block', async () => {
    const dollars = poolOf(DOLLAR, WETH)
    const blocks: readonly LogBlock[] = [
      [[swap(dollars, 3n)]],
      [launch(TOKEN, DOLLAR, 2n)],
      [buy(TOKEN, DOLLAR, 2n)],
      // Alone it moves nothing: the next event of the token does.
      [[swap(dollars, 5n)]],
      [buy(TOKEN, DOLLAR, 2n)],
    ]
    const upTo = async (count: number) => (await follow([quote(DOLLAR)], blocks.slice(0, count))).priceOf(TOKEN)
    // Four dollars for a token, at nine WETH each, later 25.
    expect(await Promise.all([2, 3, 4, 5].map(upTo))).toEqual(['36', '36', '36', '100'])
    const { trades, tokens, candles } = await follow([quote(DOLLAR)], blocks)
    expect(
      trades.map(trade => [trade.amountQuote, trade.feeQuote, trade.amountWei, text(trade.priceWeth), text(trade.priceAfterWeth)]),
    ).toEqual([
      [4n * 10n ** 18n, 4n * 10n ** 16n, 36n * 10n ** 18n, '35.64', '36'],
      [4n * 10n ** 18n, 4n * 10n ** 16n, 100n * 10n ** 18n, '99', '100'],
    ])
    const token = tokens.get(TOKEN)
    expect(token).toMatchObject({ volumeH24: 136n * 10n ** 18n })
    expect([token?.priceQuote, token?.quoteRate, token?.athPriceWeth, token?.liquidityWeth].map(value => text(value ?? null))).toEqual([
      '4',
      '25',
      '100',
      '400',
    ])
    const day = [...candles.values()].find(({ intervalSeconds }) => intervalSeconds === 86_400)
    expect([day?.open, day?.close, day?.openQuote, day?.closeQuote].map(value => text(value ?? null))).toEqual(['36', '100', '4', '4'])
  })

  it('has none before the pool has shown a price, nor where no pool leads to WETH', async () => {
    const early = await follow([quote(DOLLAR)], [[launch(TOKEN, DOLLAR)], [buy(TOKEN, DOLLAR)]])
    expect(early.priceOf(TOKEN)).toBeNull()
    const astray = await follow([quote(DOLLAR, EURO)], [[[swap(poolOf(DOLLAR, EURO), 2n)]], [launch(TOKEN, DOLLAR)], [buy(TOKEN, DOLLAR)]])
    expect(astray.priceOf(TOKEN)).toBeNull()
    expect(astray.trades).toMatchObject([{ amountWei: null, priceWeth: null, priceAfterWeth: null }])
  })

  it('follows at most three pools to WETH', async () => {
    const route = [quote(DOLLAR, EURO), quote(EURO, YEN), quote(YEN), quote(POUND, DOLLAR)]
    const prices: LogBlock = [
      [swap(poolOf(DOLLAR, EURO), 2n)],
      [swap(poolOf(EURO, YEN), 3n)],
      [swap(poolOf(YEN, WETH), 5n)],
      [swap(poolOf(POUND, DOLLAR), 7n)],
    ]
    const { priceOf } = await follow(route, [
      prices,
      [launch(TOKEN, DOLLAR), launch(OTHER, POUND)],
      [buy(TOKEN, DOLLAR), buy(OTHER, POUND)],
    ])
    expect([priceOf(TOKEN), priceOf(OTHER)]).toEqual(['900', null])
  })

  it('takes the deepest of several pools, of either kind', async () => {
    const pools = [quote(DOLLAR), quote(DOLLAR, WETH, { nth: 1 }), quote(DOLLAR, WETH, { nth: 2, poolType: 'uniswap-v2' })]
    const [first, second, third] = [0, 1, 2].map(nth => poolOf(DOLLAR, WETH, nth)) as [Address, Address, Address]
    const shown = async (...logs: readonly NewLog[]) =>
      (await follow(pools, [[logs], [launch(TOKEN, DOLLAR)], [buy(TOKEN, DOLLAR)]])).priceOf(TOKEN)
    expect(await shown(swap(first, 2n, { liquidity: 10n ** 21n }), swap(second, 3n, { liquidity: 10n ** 20n }))).toBe('4')
    expect(await shown(swap(first, 2n, { liquidity: 10n ** 19n }), swap(second, 3n, { liquidity: 10n ** 20n }))).toBe('9')
    expect(await shown(swap(first, 2n, { liquidity: 10n ** 19n }), sync(third, 10n ** 21n, 5n * 10n ** 21n))).toBe('5')
  })

  it('is worth what the market of its currency says, where that is an indexed token', async () => {
    const blocks: readonly LogBlock[] = [
      [launch(OTHER, WETH, 3n)],
      [launch(TOKEN, OTHER)],
      [[swap(poolOf(OTHER, WETH), 4n)]],
      [buy(TOKEN, OTHER)],
    ]
    const { priceOf, trades } = await follow([], blocks)
    expect([priceOf(OTHER), priceOf(TOKEN)]).toEqual(['16', '16'])
    expect(trades.at(-1)?.amountWei).toBe((trades.at(-1)?.amountQuote ?? 0n) * 16n)
  })

  it('has a currency that is worth itself in no way but as two tokens in each other', async () => {
    const { priceOf } = await follow([], [[launch(TOKEN, OTHER)], [launch(OTHER, TOKEN)], [buy(TOKEN, OTHER)]])
    expect([priceOf(TOKEN), priceOf(OTHER)]).toEqual([null, null])
  })
})

function launch(token: Address, currency: Address, root = 1n): readonly NewLog[] {
  const pool = poolOf(token, currency)
  const types = parseAbiParameters('address, address, uint256, string, string, int24, string, uint256, uint256, uint8, address')
  const data = encodeAbiParameters(types, [CREATOR, CREATOR, BigInt(pool), 'Name', 'SYM', 0, '{}', 0n, 0n, 0, CREATOR])
  const created = toEventSelector(
    'TokenCreated(address,address,address,address,address,uint256,string,string,int24,string,uint256,uint256,uint8,address)',
  )
  const pair = token < currency ? [token, currency] : [currency, token]
  const made: readonly Hex[] = [
    toEventSelector('PoolCreated(address,address,uint24,int24,address)'),
    ...pair.map(topic),
    toHex(10_000, { size: 32 }),
  ]
  return [
    transferLog(token, ZERO_ADDRESS, pool, 10n ** 27n),
    { address: UNISWAP, topics: made, data: words(200n, BigInt(pool)) },
    { address: pool, topics: [toEventSelector('Initialize(uint160,int24)')], data: words(Q96 * root, 0n) },
    { address: FACTORY, topics: [created, topic(token), topic(CREATOR), topic(CREATOR)], data },
  ]
}

function poolOf(currency: Address, against: Address, nth = 0) {
  return testAddress(10_000 + Number(BigInt(currency)) * 100 + Number(BigInt(against) % 97n) + nth * 50_000)
}

function quote(token: Address, against = WETH, { poolType = 'uniswap-v3', nth = 0 } = {}) {
  const contracts = { token, pool: poolOf(token, against, nth), against }
  return { name: `quote-${contracts.pool}`, adapter: 'quote-pool', startBlock: 1, contracts, settings: { poolType } }
}

/** A swap that leaves a pool at `root` squared of token1 per token0, in smallest units. */
function swap(
  pool: Address,
  root: bigint,
  {
    liquidity = 10n ** 20n,
    amounts = [5n, -5n],
    inverse = false,
  }: { readonly liquidity?: bigint; readonly amounts?: readonly bigint[]; readonly inverse?: boolean } = {},
): NewLog {
  const sqrt = inverse ? Q96 / root : Q96 * root
  return { address: pool, topics: [V3_SWAP, topic(BUYER), topic(BUYER)], data: words(...amounts, sqrt, liquidity, 0n) }
}

function sync(pool: Address, reserve0: bigint, reserve1: bigint): NewLog {
  return {
    address: pool,
    topics: [SYNC],
    data: words(reserve0, reserve1),
  }
}

/** A buy of 10^18 of the token for 4·10^18 of the currency, at which the price stays. */
function buy(token: Address, currency: Address, root = 1n) {
  return [
    transferLog(token, poolOf(token, currency), BUYER, 10n ** 18n),
    swap(poolOf(token, currency), root, { amounts: [-(10n ** 18n), 4n * 10n ** 18n] }),
  ]
}

async function follow(
  launchpads: readonly ReturnType<typeof quote>[],
  blocks: readonly LogBlock[],
  pegUsd: LaunchpadsConfig['pegUsd'] = [],
) {
  const [single, together] = await Promise.all(
    [1, blocks.length].map(atOnce => followLogs({ launchpads: [CLANKER, ...launchpads], weth: WETH, pegUsd, blocks, atOnce })),
  )
  expect(comparable(together?.tables)).toEqual(comparable(single?.tables))
  const tables = single?.tables ?? expect.unreachable()
  return { ...tables, priceOf: (token: Address) => text(tables.tokens.get(token)?.priceWeth ?? null) }
}

/** Without the order of rows and the time of the last ageing, which depend on the batches. */
function comparable(tables: MemoryRows['tables'] | undefined) {
  const { tokens = new Map(), ...others } = tables ?? {}
  const ageless = [...tokens.values()].map(({ windowsAt: _, ...token }) => [token.address, token])
  return { ...others, tokens: new Map(ageless as [Address, object][]) }
}
