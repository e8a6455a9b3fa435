import fc from 'fast-check'
import { encodeAbiParameters, type Hex, pad, parseAbiParameters, toEventSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import type { ChainLog } from '#domain/block.ts'
import { decodeLogs } from '#launchpads/decodeLogs.ts'
import type { LogSource } from '#launchpads/logSource.ts'
import type { EventsMapping } from '#launchpads/mapping/schema.ts'
import { words } from '#test/support/simulatedLogs.ts'
import { CURVE, FACTORY, HEADER, aLog as logOf, mappedAdapter, TOKEN, WETH, WHO } from './mappedLaunchpad.ts'

const LAUNCH = 'Launch(address,(address,string,uint8),bytes32,uint96)'
const BUY = 'Buy(address,bool,uint64,uint256,uint256)'
const UP = 'Up(address)'
const EVENTS: EventsMapping = {
  launch: {
    event: 'event Launch(address indexed token, (address by, string name, uint8 decimals) about, bytes32 indexed symbol, uint96 goal)',
    emitter: 'factory',
    token: 'token',
    creator: 'about.by',
    name: 'about.name',
    decimals: 'about.decimals',
    symbol: 'symbol',
    target: 'goal',
    curve: 'token',
  },
  trade: {
    event: 'event Buy(address indexed who, bool isBuy, uint64 tokens, uint256 paid, uint256 fee)',
    emitter: 'token',
    maker: 'who',
    isBuy: 'isBuy',
    tokenAmount: 'tokens',
    quoteAmount: 'paid',
    fee: 'fee',
    quoteAmountIs: 'beforeFees',
  },
  graduate: { event: 'event Up(address pool)', emitter: 'token', pool: 'pool', poolType: 'uniswap-v2' },
}
const adapter = mappedAdapter(EVENTS)
const CURVE_FACTS = { address: TOKEN, type: 'curve', quoteToken: WETH, tokenIsToken0: true, feeBps: null } as const
const ENTRIES = new Map<Hex, LogSource>([
  [FACTORY, { role: 'contract', launchpad: 'mine' }],
  [TOKEN, { role: 'tokenCurve', launchpad: 'mine', token: TOKEN, pool: CURVE_FACTS, tokenDecimals: 18 }],
  [CURVE, { role: 'tokenCurve', launchpad: 'theirs', token: CURVE, pool: { ...CURVE_FACTS, address: CURVE }, tokenDecimals: 18 }],
])
const lookup = (address: Hex) => ENTRIES.get(address)

const decode = (...logs: readonly ChainLog[]) => decodeLogs({ logs, headers: [HEADER], directory: { lookup }, adapters: [adapter] })

const launchData = encodeAbiParameters(parseAbiParameters('(address, string, uint8), uint96'), [[WHO, 'Näme', 9], 5n])
const launchTopics: readonly Hex[] = [toEventSelector(LAUNCH), pad(TOKEN), `0x${'53594d'.padEnd(64, '0')}`]
const buyTopics: readonly Hex[] = [toEventSelector(BUY), pad(WHO)]

/** The launch with the word at an index of its data replaced. */
function launchWith(index: number, value: bigint): ChainLog {
  const start = 2 + index * 64
  return logOf(FACTORY, launchTopics, `${launchData.slice(0, start)}${words(value).slice(2)}${launchData.slice(start + 64)}` as Hex)
}

describe('a log of a mapped event', () => {
  it('is read where it fits', () => {
    const { events, malformed } = decode(
      logOf(FACTORY, launchTopics, launchData),
      logOf(TOKEN, buyTopics, words(1n, 2_000n, 50_000n, 500n), 1),
    )
    expect(malformed).toEqual([])
    expect(events[0]).toMatchObject({ kind: 'launch', token: TOKEN, creator: WHO, name: 'Näme', symbol: 'SYM', decimals: 9 })
    expect(events.find(({ kind }) => kind === 'trade')).toMatchObject({
      side: 'buy',
      amountToken: 2_000n,
      amountQuote: 50_000n,
      feeQuote: 500n,
    })
  })

  it.each([
    ['a launch without its data', logOf(FACTORY, launchTopics, '0x')],
    ['a launch with a topic too few', logOf(FACTORY, launchTopics.slice(0, 2), launchData)],
    ['a launch with a topic too many', logOf(FACTORY, [...launchTopics, pad('0x1')], launchData)],
    [
      'a launch whose token is more than an address',
      logOf(FACTORY, [launchTopics[0] ?? '0x', `0x${'f'.repeat(64)}`, pad('0x1')], launchData),
    ],
    ['a launch of the zero address', logOf(FACTORY, [launchTopics[0] ?? '0x', pad('0x0'), pad('0x1')], launchData)],
    ['a launch whose tuple is out of the data', launchWith(0, 10_000n)],
    ['a launch whose tuple is nowhere', launchWith(0, 2n ** 255n)],
    ['a launch whose target is wider than its type', launchWith(1, 2n ** 96n)],
    ['a launch whose creator is more than an address', launchWith(2, 2n ** 160n)],
    ['a launch whose name is out of the data', launchWith(3, 9_999n)],
    ['a launch whose decimals are wider than their type', launchWith(4, 256n)],
    ['a launch whose name is longer than the data', launchWith(5, 1_000n)],
    ['a trade that is neither a buy nor a sell', logOf(TOKEN, buyTopics, words(2n, 2_000n, 50_000n, 500n))],
    ['a trade of more tokens than its type holds', logOf(TOKEN, buyTopics, words(1n, 2n ** 64n, 50_000n, 500n))],
    ['a buy with more fee than amount', logOf(TOKEN, buyTopics, words(1n, 2_000n, 500n, 501n))],
    ['a sell with more fee than amount', logOf(TOKEN, buyTopics, words(0n, 2_000n, 500n, 501n))],
    ['a move into no pool', logOf(TOKEN, [toEventSelector(UP)], words(0n))],
    ['a move into itself', logOf(TOKEN, [toEventSelector(UP)], words(BigInt(TOKEN)))],
    ['a move into what it is paid in', logOf(TOKEN, [toEventSelector(UP)], words(BigInt(WETH)))],
  ])('is counted and means nothing: %s', (_, log) => {
    expect(decode(log)).toEqual({ events: [], malformed: [log] })
    expect(adapter.discover([log], lookup)).toEqual([])
  })

  it('means nothing when another contract emits it', () => {
    for (const address of [CURVE, FACTORY])
      expect(decode(logOf(address, buyTopics, words(1n, 2n, 5n, 0n)))).toEqual({ events: [], malformed: [] })
    expect(decode(logOf(TOKEN, launchTopics, launchData))).toEqual({ events: [], malformed: [] })
  })

  it('is read or counted, whatever it holds', () => {
    const address = fc.constantFrom(FACTORY, TOKEN, CURVE)
    const hostile = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.bigInt({ min: 0n, max: 300n }),
      fc.constantFrom(BigInt(WHO), 32n, 64n, 96n),
    )
    const data = fc.oneof(
      fc.array(hostile, { maxLength: 9 }).map(values => words(...values)),
      fc.uint8Array({ maxLength: 200 }).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`),
    )
    const topics = fc
      .tuple(fc.constantFrom(LAUNCH, BUY, UP), fc.array(hostile, { maxLength: 3 }))
      .map(([signature, values]): readonly Hex[] => [
        toEventSelector(signature as `${string}(${string})`),
        ...values.map(value => words(value)),
      ])
    let read = 0
    fc.assert(
      fc.property(address, topics, data, (from, given, bytes) => {
        const log = logOf(from, given, bytes)
        const { events, malformed } = decode(log)
        expect(events.length === 0 || malformed.length === 0).toBe(true)
        if (malformed.length > 0) expect(adapter.discover([log], lookup)).toEqual([])
        expect(() => adapter.discoverFromUnknown?.([log], [log])).not.toThrow()
        if (events.length > 0) read++
      }),
      { numRuns: 3_000 },
    )
    expect(read).toBeGreaterThan(0)
  })

  it('takes no longer than its shown text for a name of megabytes', () => {
    const name = 'x'.repeat(3_000_000)
    const data = encodeAbiParameters(parseAbiParameters('(address, string, uint8), uint96'), [[WHO, name, 9], 5n])
    const { events } = decode(logOf(FACTORY, launchTopics, data))
    expect(events[0]).toMatchObject({ kind: 'launch', name: 'x'.repeat(512) })
  })
})

it('no call is given for more than a call can name, however much was told', () => {
  const claimCall = { function: 'function collect(uint256 amount)', contract: 'factory', arguments: ['amount'] } as const
  const paying = mappedAdapter({ ...EVENTS, claimCall })
  const target = { token: TOKEN, creator: WHO, currency: WETH, scope: 'token', claimId: null } as const
  expect(paying.claimCall({ ...target, amount: 2n ** 256n - 1n })?.to).toBe(FACTORY)
  expect(paying.claimCall({ ...target, amount: 2n ** 256n })).toBeNull()
})
