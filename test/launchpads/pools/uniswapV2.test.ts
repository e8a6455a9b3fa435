import fc from 'fast-check'
import { type Hex, pad, toEventSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Address, toAddress } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { type Decimal, formatDecimal, parseDecimal } from '#domain/decimal.ts'
import { decodeLogs } from '#launchpads/decodeLogs.ts'
import type { LogSource } from '#launchpads/logSource.ts'
import { TRANSFER_TOPIC } from '#launchpads/maker.ts'

const [PAIR, TOKEN, WETH, ROUTER, WHO, TAX] = ['9', '7', 'e', '5', 'a', 'b'].map(digit => toAddress(`0x${digit.repeat(40)}`)) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
]
const SYNC = toEventSelector('Sync(uint112,uint112)')
const SWAP = toEventSelector('Swap(address,uint256,uint256,uint256,uint256,address)')
const HEADER = { number: 1, hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'0'.repeat(64)}`, timestamp: 1 } as const

interface Facts {
  readonly tokenIsToken0: boolean
  readonly quoteToken: Address
  readonly tokenDecimals: number
  readonly feeBps: number | null
}
const FACTS: Facts = { tokenIsToken0: true, quoteToken: WETH, tokenDecimals: 18, feeBps: 30 }

const words = (...values: readonly bigint[]): Hex => `0x${values.map(value => value.toString(16).padStart(64, '0')).join('')}`
type LooseLog = Pick<ChainLog, 'address' | 'topics' | 'data'>
const sync = (reserve0: bigint, reserve1: bigint): LooseLog => ({ address: PAIR, topics: [SYNC], data: words(reserve0, reserve1) })
const swap = (...amounts: readonly bigint[]): LooseLog => ({
  address: PAIR,
  topics: [SWAP, pad(ROUTER), pad(WHO)],
  data: words(...amounts),
})
const transfer = (from: Address, to: Address, amount: bigint): LooseLog => ({
  address: TOKEN,
  topics: [TRANSFER_TOPIC, pad(from), pad(to)],
  data: words(amount),
})

function decode(logs: readonly LooseLog[], { tokenDecimals, ...facts }: Facts = FACTS) {
  const pool = { ...facts, address: PAIR, type: 'uniswap-v2' } as const
  const entries = new Map<Hex, LogSource>([
    [PAIR, { role: 'pool', launchpad: 'mine', token: TOKEN, pool, tokenDecimals }],
    [TOKEN, { role: 'token', launchpad: 'mine', token: TOKEN }],
  ])
  const at = { blockNumber: 1, blockHash: HEADER.hash, txHash: `0x${'2'.repeat(64)}`, txIndex: 0 } as const
  const given = logs.map((log, logIndex) => ({ ...log, ...at, logIndex }))
  return decodeLogs({ logs: given, headers: [HEADER], directory: { lookup: address => entries.get(address) }, adapters: [] })
}
const events = (logs: readonly LooseLog[], facts?: Facts) => decode(logs, facts).events.filter(({ kind }) => kind !== 'transfer')
const text = (price: Decimal | null) => (price === null ? null : formatDecimal(price))

describe('a pair', () => {
  it('has the reserves of its Sync and their ratio as its price, in either order and of any decimals', () => {
    const amount = fc.bigInt({ min: 1n, max: 2n ** 112n - 1n })
    fc.assert(
      fc.property(amount, amount, fc.boolean(), fc.integer({ min: 0, max: 30 }), (token, quote, tokenIsToken0, tokenDecimals) => {
        const log = tokenIsToken0 ? sync(token, quote) : sync(quote, token)
        const [event] = events([log], { ...FACTS, tokenIsToken0, tokenDecimals })
        if (event?.kind !== 'poolChanged') return expect.unreachable()
        expect(event.reserves).toEqual({ mode: 'set', token, quote })
        const expected = (Number(quote) / Number(token)) * 10 ** (tokenDecimals - 18)
        // Prices have sixty decimals.
        if (expected > 1e-40) expect(Number(text(event.price)) / expected).toBeCloseTo(1, 9)
      }),
    )
  })

  it('without one of its sides has no price', () => {
    for (const log of [sync(0n, 5n), sync(5n, 0n), sync(0n, 0n)]) expect(events([log])).toMatchObject([{ price: null }])
  })

  it('of something else than WETH has reserves, trades and a price in that currency', () => {
    const facts = { ...FACTS, quoteToken: ROUTER }
    const logs = [sync(5n, 7n), swap(0n, 3n, 2n, 0n)]
    expect(events(logs, facts)).toEqual(events(logs))
    const [changed, trade] = events(logs, facts)
    expect(changed).toMatchObject({ kind: 'poolChanged', reserves: { token: 5n, quote: 7n }, price: parseDecimal('1.4') })
    expect(trade).toMatchObject({ kind: 'trade', side: 'buy', amountToken: 2n, amountQuote: 3n, feeQuote: 1n })
  })

  it.each([
    ['a buy', [0n, 100_000n, 2_000n, 0n], FACTS, { side: 'buy', amountToken: 2_000n, amountQuote: 100_000n, feeQuote: 300n }],
    ['a sell', [2_000n, 0n, 0n, 99_700n], FACTS, { side: 'sell', amountToken: 2_000n, amountQuote: 99_700n, feeQuote: 300n }],
    [
      'a buy of the second token',
      [100_000n, 0n, 0n, 2_000n],
      { ...FACTS, tokenIsToken0: false },
      { side: 'buy', amountToken: 2_000n, amountQuote: 100_000n },
    ],
    ["a buy at a fork's fee", [0n, 100_000n, 2_000n, 0n], { ...FACTS, feeBps: 25 }, { feeQuote: 250n }],
    ['a sell at a fee of everything', [1_000n, 0n, 0n, 2_000n], { ...FACTS, feeBps: 10_000 }, { amountQuote: 2_000n, feeQuote: null }],
    ['a buy at an unknown fee', [0n, 100_000n, 2_000n, 0n], { ...FACTS, feeBps: null }, { amountQuote: 100_000n, feeQuote: null }],
    [
      'a flash swap that pays back in kind',
      [1_500n, 100_000n, 2_000n, 0n],
      FACTS,
      { side: 'buy', amountToken: 500n, amountQuote: 100_000n },
    ],
  ] as const)('tells of %s', (_, amounts, facts, trade) => {
    expect(events([swap(...amounts)], facts)).toMatchObject([{ kind: 'trade', phase: 'pool', pool: PAIR, ...trade }])
  })

  it.each([
    ['a flash loan that only pays its fee in both', [10n, 10n, 0n, 0n]],
    ['a swap of nothing', [5n, 5n, 5n, 5n]],
  ] as const)('tells of no trade by %s', (_, amounts) => {
    expect(events([swap(...amounts)])).toEqual([])
  })

  it('tells of liquidity by Mint and Burn, and nothing by its own Transfer', () => {
    const topics = [
      ['Mint(address,uint256,uint256)', [pad(ROUTER)]],
      ['Burn(address,uint256,uint256,address)', [pad(ROUTER), pad(WHO)]],
    ] as const
    const logs = topics.map(([signature, more]) => ({ address: PAIR, topics: [toEventSelector(signature), ...more], data: words(1n, 2n) }))
    expect(decode([...logs, { ...transfer(ROUTER, WHO, 3n), address: PAIR }])).toMatchObject({
      events: [
        { kind: 'joinExit', maker: ROUTER, amountToken: 1n, amountQuote: 2n },
        { kind: 'joinExit', maker: WHO, amountToken: -1n, amountQuote: -2n },
      ],
      malformed: [],
    })
  })

  it.each([
    ['too little data for reserves', { ...sync(1n, 2n), data: words(1n) }],
    ['reserves that no pair can have', sync(2n ** 112n, 1n)],
    ['too little data for a swap', { ...swap(0n, 1n, 1n, 0n), data: words(1n, 2n, 3n) }],
    ['a swap without its topics', { ...swap(0n, 1n, 1n, 0n), topics: [SWAP] }],
  ])('counts %s', (_, log) => {
    expect(decode([log]).events).toEqual([])
    expect(decode([log]).malformed).toHaveLength(1)
  })
})

describe('the maker', () => {
  const makerOf = (...logs: readonly LooseLog[]) =>
    events(logs)
      .flatMap(event => (event.kind === 'trade' ? [event.maker] : []))
      .at(-1)

  it('is told by transfers, past the router', () => {
    expect(makerOf(transfer(PAIR, ROUTER, 90n), swap(0n, 50n, 90n, 0n), transfer(ROUTER, TAX, 90n))).toBe(TAX)
    expect(makerOf(transfer(TAX, ROUTER, 90n), transfer(ROUTER, PAIR, 90n), swap(90n, 0n, 0n, 50n))).toBe(TAX)
  })

  it('of a token that takes a part of every transfer is who got or gave most', () => {
    expect(makerOf(transfer(PAIR, ROUTER, 3n), transfer(PAIR, TAX, 87n), swap(0n, 50n, 90n, 0n))).toBe(TAX)
    expect(makerOf(transfer(TAX, ROUTER, 95n), transfer(WHO, PAIR, 93n), transfer(WHO, PAIR, 2n), swap(90n, 0n, 0n, 50n))).toBe(WHO)
    // What an earlier swap of the transaction moved is not this one's.
    const earlier = [transfer(PAIR, WHO, 500n), swap(0n, 400n, 510n, 0n)]
    expect(makerOf(...earlier, transfer(PAIR, TAX, 87n), swap(0n, 50n, 90n, 0n))).toBe(TAX)
  })

  it('is who the pair names where no transfer tells', () => {
    expect(makerOf(swap(0n, 50n, 90n, 0n))).toBe(WHO)
    expect(makerOf(swap(90n, 0n, 0n, 50n))).toBe(ROUTER)
  })
})
