import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseLaunchpads } from '#configuration/launchpads.ts'
import { REFERENCE_EVENTS } from '#launchpads/adapters/bondingCurve.ts'
import { untoldBy } from '#launchpads/mapping/entries.ts'
import { ADAPTER_KINDS, createAdapters } from '#launchpads/registry.ts'

const WETH = `0x${'e'.repeat(40)}`
const [FACTORY, OTHER] = [`0x${'f'.repeat(40)}`, `0x${'a'.repeat(40)}`]

const LAUNCH = {
  event: 'event Launch(address indexed token, address by, address curve)',
  emitter: 'factory',
  token: 'token',
  creator: 'by',
  decimals: 18,
}
const BUY = {
  event: 'event Buy(address token, address who, uint256 got, uint256 paid, uint256 fee)',
  emitter: 'factory',
  token: 'token',
  maker: 'who',
  tokenAmount: 'got',
  quoteAmount: 'paid',
}
const SELL = { ...BUY, event: BUY.event.replace('Buy', 'Sell') }
const OWN_LAUNCH = { ...LAUNCH, curve: 'curve' }
const [OWN_BUY, OWN_SELL] = [BUY, SELL].map(mapping => ({ ...mapping, emitter: 'curve' }))
const FEE = {
  event: 'event Fee(address token, address who, uint256 amount)',
  emitter: 'factory',
  token: 'token',
  creator: 'who',
  amount: 'amount',
  currency: 'native',
}
const PAID = { ...FEE, event: FEE.event.replace('Fee', 'Paid') }
const BASE = { launch: LAUNCH, buy: BUY, sell: SELL }
const CALL = (text: string) => ({ function: `function ${text}` })
const UP = { event: 'event Up(address t)', emitter: 'factory', token: 't', poolType: 'uniswap-v2' }
const MADE = { factory: OTHER, codeHash: `0x${'1'.repeat(64)}` }

function read(events: unknown, more: object = {}) {
  const file = { weth: WETH, launchpads: [{ name: 'mine', adapter: 'bonding-curve', factory: FACTORY, startBlock: 0, ...more, events }] }
  return parseLaunchpads(JSON.stringify(file), ADAPTER_KINDS)
}

function problems(events: unknown, more: object = {}): readonly string[] {
  const result = read(events, more)
  return result.kind === 'valid' ? [] : result.problems
}

const SIGNATURE = 'expected an event as in the contract\'s source, such as "event Bought(address indexed buyer, uint256 paid)"'
const PARAMETER = 'expected the name of a parameter of the event'

describe('a mapping of events', () => {
  it.each([
    ['events of one contract for all tokens', BASE, {}],
    ['a curve per token', { ...BASE, launch: OWN_LAUNCH, buy: OWN_BUY, sell: OWN_SELL }, {}],
    [
      'a curve per token whose trades the factory tells of',
      {
        launch: OWN_LAUNCH,
        buy: { ...BUY, event: 'event Buy(address token, address who, uint256 got, uint256 paid, address curve)', curve: 'curve' },
        sell: { ...SELL, event: 'event Sell(address token, address who, uint256 got, uint256 paid, address curve)', curve: 'curve' },
      },
      {},
    ],
    [
      'one curve for all tokens beside the factory',
      { ...BASE, buy: { ...BUY, emitter: 'curve' }, sell: { ...SELL, emitter: 'curve' } },
      { curve: OTHER },
    ],
    [
      'fields that calls tell',
      { ...BASE, launch: { ...LAUNCH, creator: CALL('creator() view returns (address)'), name: CALL('name() view returns (string)') } },
      {},
    ],
    [
      'a value of a struct that a contract of the entry returns',
      {
        ...BASE,
        launch: {
          ...LAUNCH,
          quoteToken: {
            ...CALL('infos(address) view returns ((address base, address quote) info)'),
            contract: 'factory',
            arguments: ['token'],
            result: 'info.quote',
          },
        },
      },
      {},
    ],
    ['a pool that a factory makes', { ...BASE, graduate: { ...UP, pool: MADE } }, {}],
    ['an escrow', { ...BASE, feeAccrued: { ...FEE, emitter: 'escrow' }, feeClaimed: { ...PAID, emitter: 'escrow' } }, { escrow: OTHER }],
    [
      'a call to an escrow that tells nothing',
      {
        ...BASE,
        claimCall: {
          function: 'function pull(address a, bool all, bytes32 why, uint256 x)',
          contract: 'escrow',
          arguments: ['creator', true, `0x${'0'.repeat(64)}`, 'amount'],
        },
      },
      { escrow: OTHER },
    ],
    ['two versions of an event', { ...BASE, buy: [BUY, { ...BUY, event: BUY.event.replace('uint256 fee', 'uint128 fee') }] }, {}],
    [
      'spaces and a semicolon in a signature',
      { ...BASE, buy: { ...BUY, event: ' event  Buy ( address token , address who,\n  uint256 got, uint256 paid ) ; ' } },
      {},
    ],
  ])('with %s is accepted', (_, events, more) => {
    expect(problems(events, more)).toEqual([])
  })

  it.each([
    ['', 4, 'expected an object with the events launch, and buy and sell or trade, got 4'],
    ['.launch', { buy: BUY, sell: SELL }, 'missing, expected an event mapping or a list of them'],
    [
      '.sell',
      { launch: LAUNCH, buy: BUY },
      'missing, expected the event of a trade on the curve (or "trade", where one event covers both)',
    ],
    [
      '.burn',
      { ...BASE, burn: BUY },
      'unknown, expected only quoteToken, launch, buy, sell, trade, state, complete, graduate, pool, feeAccrued, feeClaimed, claimCall',
    ],
    ['.buy', { ...BASE, buy: 'Buy' }, 'expected an event mapping or a list of them, got "Buy"'],
    ['.buy', { ...BASE, buy: [] }, 'expected an event mapping or a list of them, got []'],
    [
      '.buy.buyer',
      { ...BASE, buy: { ...BUY, buyer: 'who' } },
      'unknown, expected only event, emitter, token, curve, maker, tokenAmount, quoteAmount, fee, quoteAmountIs, virtualQuote, virtualToken, price, reserveQuote, reserveToken, raised',
    ],
    ['.buy.maker', { ...BASE, buy: { ...BUY, maker: undefined } }, `missing, ${PARAMETER} or "sender" or "transfers"`],
    ['.buy[1].maker', { ...BASE, buy: [BUY, { ...BUY, maker: 7 }] }, `${PARAMETER} or "sender" or "transfers", got 7`],
    ['.buy.emitter', { ...BASE, buy: { ...BUY, emitter: 'router' } }, 'expected "factory" or "curve" or "token" or "escrow", got "router"'],
    ['.buy.event', { ...BASE, buy: { ...BUY, event: 'Buy(address,uint256)' } }, `${SIGNATURE}, got "Buy(address,uint256)"`],
    ['.buy.event', { ...BASE, buy: { ...BUY, event: 'event Buy(address who' } }, `${SIGNATURE}, got "event Buy(address who"`],
    [
      '.buy.event',
      { ...BASE, buy: { ...BUY, event: 'event Buy(Trade trade)' } },
      `${SIGNATURE}, got "event Buy(Trade trade)"; Type "Trade" is not a valid ABI type. (a struct is written as a tuple: "(address a, uint256 b) name")`,
    ],
    ['.buy.event', { ...BASE, buy: { ...BUY, event: 'event Buy(address who, address who)' } }, 'two of its parameters have the name "who"'],
    [
      '.buy.event',
      { ...BASE, buy: { ...BUY, event: `event Buy(${'address indexed a, '.repeat(3)}address indexed b)` } },
      'an event has at most 3 indexed parameters, this one 4',
    ],
    ['.buy.maker', { ...BASE, buy: { ...BUY, maker: 'whom' } }, 'the event has no parameter "whom", expected token or who'],
    [
      '.buy.tokenAmount',
      { ...BASE, buy: { ...BUY, tokenAmount: 'who' } },
      '"who" is of type address and cannot hold an amount, expected an unsigned integer',
    ],
    [
      '.buy.fee[1]',
      { ...BASE, buy: { ...BUY, fee: ['fee', 'tip'], quoteAmountIs: 'beforeFees' } },
      'the event has no parameter "tip", expected got or paid or fee',
    ],
    [
      '.buy.quoteAmountIs',
      { ...BASE, buy: { ...BUY, fee: 'fee' } },
      'missing, expected "beforeFees" or "afterFees": whether quoteAmount holds the fee',
    ],
    [
      '.launch.name',
      { ...BASE, launch: { ...LAUNCH, event: 'event Launch(address token, address by, string indexed title)', name: 'title' } },
      '"title" is indexed, so a log holds only the hash of its string: leave the field out',
    ],
    [
      '.launch.name',
      { ...BASE, launch: { ...LAUNCH, name: 'by' } },
      '"by" is of type address and cannot hold a text, expected string, bytes or bytes1 to bytes32',
    ],
    ['.launch.decimals', { ...BASE, launch: { ...LAUNCH, decimals: undefined } }, `missing, ${PARAMETER} or a whole number`],
    ['.launch.decimals', { ...BASE, launch: { ...LAUNCH, decimals: 256 } }, 'expected at most 255'],
    [
      '.launch.emitter',
      { ...BASE, launch: { ...LAUNCH, emitter: 'token' } },
      'expected a contract that is known before the token is, got "token"',
    ],
    ['.launch.virtualToken', { ...BASE, launch: { ...LAUNCH, virtualQuote: 5 } }, 'missing: the price is virtualQuote per virtualToken'],
    ['.launch.feeBps', { ...BASE, launch: { ...LAUNCH, feeBps: 10_001 } }, 'expected at most 10000 basis points'],
    ['.sell.event', { ...BASE, sell: BUY }, 'the same event of the same emitter as events.buy: a log of it could be either'],
    [
      '.sell.emitter',
      { ...BASE, sell: { ...SELL, emitter: 'token' } },
      'expected "factory" as in events.buy: all trades come from one contract',
    ],
    [
      '.sell.token',
      { ...BASE, sell: { ...SELL, token: undefined } },
      'missing, expected the parameter with the token: the emitter "factory" serves all tokens',
    ],
    [
      '.buy.curve',
      { launch: OWN_LAUNCH, buy: BUY, sell: SELL },
      'missing, expected the parameter with the token\'s curve: launch names one, and "factory" emits this event',
    ],
    [
      '.buy.emitter',
      { ...BASE, buy: OWN_BUY, sell: OWN_SELL },
      'expected launch.curve to name each token\'s curve, or "curve" beside "events" to be the address of the one for all tokens',
    ],
    [
      '.trade.isBuy',
      { launch: LAUNCH, trade: BUY },
      'missing, expected the parameter that tells a buy: a bool, or an amount that only buys have (or isSell, or tokenIn for the currency that went in)',
    ],
    ['.trade.tokenIn', { launch: LAUNCH, trade: { ...BUY, isBuy: 'fee', tokenIn: 'who' } }, 'expected either this or isBuy'],
    [
      '.trade.tokenIn',
      { launch: LAUNCH, trade: { ...BUY, isBuy: 'fee', tokenOut: 'who' } },
      'missing: tokenOut only tells the token together with tokenIn',
    ],
    [
      '.trade.tokenAmount',
      { launch: LAUNCH, trade: { ...BUY, isBuy: 'fee', tokenAmount: undefined } },
      'missing, expected tokenAmount and quoteAmount, or amountIn and amountOut',
    ],
    [
      '.trade.quoteAmount',
      { launch: LAUNCH, trade: { ...BUY, isBuy: 'fee', tokenAmount: undefined, amountIn: 'got', amountOut: 'fee' } },
      'expected either this or amountIn and amountOut',
    ],
    [
      '.trade.isBuy',
      { launch: LAUNCH, trade: { ...BUY, isBuy: 'who' } },
      '"who" is of type address and cannot hold a flag, expected bool or an unsigned integer',
    ],
    [
      '.state.reserveQuote',
      { ...BASE, state: { event: 'event Sync(address token)', emitter: 'factory', token: 'token' } },
      'missing, expected at least one of virtualQuote, virtualToken, price, reserveQuote, reserveToken, raised',
    ],
    [
      '.state.token',
      { ...BASE, state: { event: 'event Sync(uint256 held)', emitter: 'factory', reserveQuote: 'held' } },
      'missing, expected the parameter with the token: the emitter "factory" serves all tokens',
    ],
    [
      '.launch.creator',
      { ...BASE, launch: { ...LAUNCH, event: 'event Launch(address token, address sender)', creator: 'sender' } },
      '"sender" means sender here and is a parameter of the event too: give the parameter another name',
    ],
    [
      '.launch.virtualQuote',
      { ...BASE, launch: { ...LAUNCH, targetToken: 5 } },
      'missing: what is raised at targetToken follows from virtualQuote and virtualToken',
    ],
    [
      '.launch.name.function',
      { ...BASE, launch: { ...LAUNCH, name: { function: 'name()' } } },
      'expected a function as in the contract\'s source, such as "function claim(address token)", got "name()"',
    ],
    [
      '.launch.name.function',
      { ...BASE, launch: { ...LAUNCH, name: CALL('name()') } },
      'expected a function that returns a value: "function name() view returns (string)"',
    ],
    [
      '.launch.name.function',
      { ...BASE, launch: { ...LAUNCH, name: CALL('name() view returns (address)') } },
      '"value" is of type address and cannot hold a text, expected string, bytes or bytes1 to bytes32',
    ],
    [
      '.launch.name.result',
      { ...BASE, launch: { ...LAUNCH, name: CALL('info() view returns (string a, string b)') } },
      'missing, expected which value counts: a or b',
    ],
    [
      '.launch.name.result',
      { ...BASE, launch: { ...LAUNCH, name: { ...CALL('info() view returns (string a, string b)'), result: 'c' } } },
      'the function returns no "c", expected a or b',
    ],
    [
      '.launch.name.arguments',
      { ...BASE, launch: { ...LAUNCH, name: CALL('nameOf(address) view returns (string)') } },
      'expected 1, one per parameter of the function, got 0',
    ],
    [
      '.launch.name.arguments[0]',
      { ...BASE, launch: { ...LAUNCH, name: { ...CALL('nameOf(address whose) view returns (string)'), arguments: ['creator'] } } },
      'expected token or a value that fits address whose, got "creator"',
    ],
    [
      '.launch.name.contract',
      { ...BASE, launch: { ...LAUNCH, name: { ...CALL('name() view returns (string)'), contract: 'escrow' } } },
      'expected the address of the escrow as "escrow" beside "events", or another contract',
    ],
    [
      '.launch.name.of',
      { ...BASE, launch: { ...LAUNCH, name: { ...CALL('name() view returns (string)'), of: 'token' } } },
      'unknown, expected only function, contract, arguments, result',
    ],
    [
      '.launch.decimals',
      { ...BASE, launch: { ...LAUNCH, decimals: CALL('decimals() view returns (uint8)') } },
      `${PARAMETER} or a whole number, got {"function":"function decimals() view returns (uint8)"}`,
    ],
    [
      '.graduate.pool.codeHash',
      { ...BASE, graduate: { ...UP, pool: { ...MADE, codeHash: '0x12' } } },
      'expected the hash of a pool\'s creation code, 0x and 64 hex digits, got "0x12"',
    ],
    [
      '.graduate.token',
      { launch: OWN_LAUNCH, buy: OWN_BUY, sell: OWN_SELL, graduate: { ...UP, emitter: 'curve', token: undefined, pool: MADE } },
      'missing: which pool it is follows from the token',
    ],
    [
      '.graduate.poolFeeBps',
      { ...BASE, graduate: { ...UP, poolType: 'uniswap-v3', pool: MADE } },
      'missing: which pool of uniswap-v3 the factory makes follows from its fee',
    ],
    [
      '.graduate.pool',
      { ...BASE, graduate: { ...UP, pool: { ...MADE, tickSpacing: 200 } } },
      'expected no tickSpacing: pairs of uniswap-v2 have none',
    ],
    [
      '.graduate.pool.tickSpacing',
      { ...BASE, graduate: { ...UP, poolType: 'uniswap-v3', pool: { ...MADE, tickSpacing: 0 } } },
      'expected a tick spacing, a whole number from 1 to 32767, got 0',
    ],
    [
      '.graduate.quoteToken',
      { ...BASE, launch: { ...LAUNCH, quoteToken: 'by' }, graduate: { ...UP, pool: MADE } },
      "missing, expected the pool's currency: launches have their own, and no event of them leads to this pool",
    ],
    [
      '.graduate.quoteToken',
      {
        launch: { ...OWN_LAUNCH, quoteToken: 'by' },
        buy: OWN_BUY,
        sell: OWN_SELL,
        graduate: { event: 'event Up(address t, address p)', emitter: 'factory', token: 't', pool: 'p', poolType: 'uniswap-v2' },
      },
      'missing, expected the pool\'s currency: launches name their own, and "factory" does not lead to the token\'s curve',
    ],
    [
      '.graduate.poolType',
      { ...BASE, graduate: { event: 'event Up(address t, address p)', emitter: 'factory', token: 't', pool: 'p', poolType: 'sushi' } },
      'expected "uniswap-v2" or "uniswap-v3" or "uniswap-v4" or "pancakeswap-v3", got "sushi"',
    ],
    [
      '.graduate.poolType',
      { ...BASE, graduate: { ...UP, poolType: 'uniswap-v4', pool: { hook: OTHER } } },
      'expected the address of the PoolManager as "poolManager" beside "events"',
    ],
    [
      '.graduate.pool',
      { ...BASE, graduate: { ...UP, pool: { factory: OTHER } } },
      'missing codeHash, by which a pair of uniswap-v2 is known',
    ],
    ['.graduate.pool', { ...BASE, graduate: { ...UP, pool: { hook: OTHER } } }, 'expected a factory: only pools of uniswap-v4 have a hook'],
    [
      '.graduate.poolId',
      { ...BASE, graduate: { ...UP, poolId: 't' } },
      '"t" is of type address and cannot hold the id of a pool, expected bytes32',
    ],
    ['.launch.poolType', { ...BASE, launch: { ...LAUNCH, pool: 'curve' } }, 'missing, expected the kind of the pool that pool is of'],
    [
      '.launch.target',
      { launch: { ...LAUNCH, poolType: 'uniswap-v3', pool: 'curve', target: 5 } },
      'leave it out: the token is launched into a pool, and has no curve',
    ],
    [
      '.feeClaimed',
      { ...BASE, feeAccrued: FEE },
      'missing: what is claimable follows from feeAccrued and feeClaimed, so map both or neither',
    ],
    [
      '.feeAccrued.token',
      { ...BASE, feeAccrued: { ...FEE, token: undefined }, feeClaimed: PAID },
      'missing: feeClaimed names its token, so this has to name it, too',
    ],
    [
      '.feeAccrued.currency',
      { ...BASE, feeAccrued: { ...FEE, event: 'event Fee(address token, address who, uint256 amount, address native)' }, feeClaimed: PAID },
      '"native" means native here and is a parameter of the event too: give the parameter another name',
    ],
    [
      '.feeAccrued.emitter',
      { ...BASE, feeAccrued: { ...FEE, emitter: 'escrow' }, feeClaimed: PAID },
      'expected the address of the escrow as "escrow" beside "events", or another emitter',
    ],
    [
      '.claimCall.function',
      { ...BASE, claimCall: { function: 'claim()', contract: 'factory', arguments: [] } },
      'expected a function as in the contract\'s source, such as "function claim(address token)", got "claim()"',
    ],
    [
      '.claimCall.arguments',
      { ...BASE, claimCall: { function: 'function claim(address t)', contract: 'factory', arguments: [] } },
      'expected 1, one per parameter of the function, got 0',
    ],
    [
      '.claimCall.arguments[0]',
      { ...BASE, claimCall: { function: 'function claim(address t)', contract: 'factory', arguments: ['amount'] } },
      'expected token, creator, currency, amount or a value that fits address t, got "amount"',
    ],
    [
      '.claimCall.contract',
      { ...BASE, claimCall: { function: 'function claim()', contract: 'curve', arguments: [] } },
      'expected the address of the curve as "curve" beside "events", or another contract',
    ],
  ])('is refused at events%s', (place, events, problem) => {
    expect(problems(events)).toContain(`launchpads[0].events${place}: ${problem}`)
  })

  it('is refused with contracts that it does not need', () => {
    expect(problems(BASE, { escrow: OTHER })).toEqual(['launchpads[0].escrow: given, but no event has it as its emitter'])
    expect(problems(BASE, { curve: FACTORY })).toEqual([
      'launchpads[0].curve: the same address as factory: leave it out and name that one as the emitter',
    ])
    expect(problems(undefined, { escrow: OTHER })).toEqual(['launchpads[0].escrow: given, but no event has it as its emitter'])
  })

  it('needs decimals that are the same for all where a contract for all tokens tells of trades', () => {
    const launch = { ...LAUNCH, event: 'event Launch(address token, address by, uint8 decimals)', decimals: 'decimals' }
    expect(problems({ ...BASE, launch })).toEqual([
      "launchpads[0].events.launch.decimals: expected a number: events.buy comes from a contract of which the token's decimals are not known, so that all tokens must have the same",
    ])
  })
})

/** Replaces or removes what stands at one place of a JSON value. */
function changed(value: unknown, path: readonly number[], replacement: unknown): unknown {
  if (path.length === 0 || typeof value !== 'object' || value === null) return replacement
  const keys = Object.keys(value)
  const key = keys[(path[0] ?? 0) % Math.max(1, keys.length)]
  if (key === undefined) return replacement
  const inside = changed(Reflect.get(value, key) as unknown, path.slice(1), replacement)
  return Array.isArray(value) ? value.map((one: unknown, index) => (String(index) === key ? inside : one)) : { ...value, [key]: inside }
}

/** A clear answer: what is accepted can be built, and what is refused says where. */
function expectClear(events: unknown): boolean {
  const result = read(events)
  if (result.kind === 'valid') {
    createAdapters({ ...result.value })
    return true
  }
  for (const problem of result.problems) expect(problem).toMatch(/^launchpads\[0\]\.events.*: .{8,}/s)
  expect(result.problems.length).toBeGreaterThan(0)
  return false
}

describe('whatever is given as a mapping', () => {
  it('is built or refused with the place', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), events => {
        expectClear(events)
      }),
      { numRuns: 300 },
    )
  })

  it('is built or refused with the place when one thing in a good one is changed', () => {
    const words = fc.constantFrom(
      'token',
      'factory',
      'curve',
      'escrow',
      'weth',
      'native',
      '18',
      '',
      'about.by',
      '__proto__',
      'constructor',
      OTHER,
    )
    const signatures = fc
      .array(
        fc.constantFrom('event ', 'A', '(', ')', 'address', ' indexed', ' a', ' b', ',', 'uint256', '[]', '[3]', 'string', ' ', 'tuple'),
        { maxLength: 14 },
      )
      .map(parts => parts.join(''))
    const replacement = fc.oneof(
      words,
      signatures,
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.jsonValue({ maxDepth: 2 }),
      fc.constant(undefined),
    )
    let accepted = 0
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 3 }), replacement, (path, value) => {
        if (expectClear(changed(REFERENCE_EVENTS, path, value))) accepted++
      }),
      { numRuns: 700 },
    )
    // Most changes break it; some, such as leaving an optional field out, do not.
    expect(accepted).toBeGreaterThan(0)
  })
})

it.each([
  ['every field of a curve', REFERENCE_EVENTS, []],
  [
    'a curve that tells its trades alone',
    BASE,
    ['names', 'prices of curves between trades', 'reserves of curves', 'fees of trades', "creators' fees"],
  ],
  ['a launch into a pool', { launch: { ...LAUNCH, poolType: 'uniswap-v3', pool: 'curve', name: 'x', symbol: 'x' } }, ["creators' fees"]],
])('what %s does not tell is said to the operator', (_, events, untold) => {
  expect(untoldBy(events as Parameters<typeof untoldBy>[0])).toEqual(untold)
})
