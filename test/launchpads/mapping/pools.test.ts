import { type Hex, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { createMappedAdapter } from '#launchpads/mapping/compile.ts'
import type { EventsMapping } from '#launchpads/mapping/schema.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import { testAddresses } from '#test/support/simulatedChain.ts'
import { CURVE, DEAL, decoded as decodedBy, FACTORY, LAUNCH, logOf, MONEY, OTHER, TOKEN, WETH, WHO } from './mappedLaunchpad.ts'

// Pools that no parameter names, and tokens that are launched into a pool: two thirds of the launchpads of a chain were out of reach.

const [POOL_MANAGER, OTHER_MANAGER, HOOK, OTHER_HOOK, V3_FACTORY, OTHER_V3_FACTORY, POOL, OTHER_POOL] = testAddresses([
  600, 601, 610, 611, 620, 621, 630, 631,
])
const MADE = 'event Made(address indexed token, address indexed by)'
const TRANSFER = 'event Transfer(address indexed from, address indexed to, uint256 amount)'
const INITIALIZE =
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)'
const POOL_CREATED =
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)'
const INTO_POOL = { event: MADE, emitter: 'factory', token: 'token', creator: 'by', decimals: 18 } as const
const BY_HOOK = { ...INTO_POOL, poolType: 'uniswap-v4', pool: { hook: HOOK } } as const

const Q96 = 2n ** 96n

describe('a token that is launched into a pool', () => {
  it('has the pool of its hook that is initialised before the event', () => {
    const { events, malformed } = decoded({ launch: BY_HOOK }, [initialized({ id: 7n }), made()])
    expect(malformed).toEqual([])
    expect(events.map(({ kind }) => kind)).toEqual(['launch', 'poolCreated', 'poolChanged'])
    expect(events).toMatchObject([
      { token: TOKEN, creator: WHO, graduation: { status: 'none', target: null } },
      { main: true, pool: { address: numberToHex(7n, { size: 32 }), type: 'uniswap-v4', quoteToken: WETH, feeBps: 25 } },
      { concentrated: { sqrtPriceX96: Q96, tick: 0 } },
    ])
  })

  it.each([
    ['another hook', { id: 8n, hooks: OTHER_HOOK }],
    ['another PoolManager', { id: 8n, manager: OTHER_MANAGER }],
    ['another token', { id: 8n, token: OTHER }],
  ])('does not have a pool of %s', (_, forged) => {
    const { events } = decoded({ launch: BY_HOOK }, [initialized({ id: 7n }), initialized(forged), made()])
    expect(poolOf(events)).toBe(numberToHex(7n, { size: 32 }))
  })

  it('does not have a pool that somebody made with the same hook before there was the token', () => {
    const mint = logOf(TOKEN, TRANSFER, ZERO_ADDRESS, FACTORY, 10n)
    const ofOwn = decoded({ launch: BY_HOOK }, [initialized({ id: 8n, fee: 100n }), mint, initialized({ id: 7n }), made()])
    expect(poolOf(ofOwn.events)).toBe(numberToHex(7n, { size: 32 }))
    const eventFirst = decoded({ launch: BY_HOOK }, [initialized({ id: 8n, fee: 100n }), mint, made(), initialized({ id: 7n })])
    expect(poolOf(eventFirst.events)).toBe(numberToHex(7n, { size: 32 }))
  })

  it('is told by the fee and the tick spacing where anybody may make a pool like it', () => {
    const launch = { ...BY_HOOK, pool: { hook: ZERO_ADDRESS, tickSpacing: 60 }, poolFeeBps: 25 } as const
    const forged = [initialized({ id: 8n, hooks: ZERO_ADDRESS, fee: 3_000n }), initialized({ id: 9n, hooks: ZERO_ADDRESS, spacing: 25n })]
    const { events } = decoded({ launch }, [initialized({ id: 7n, hooks: ZERO_ADDRESS }), ...forged, made()])
    expect(poolOf(events)).toBe(numberToHex(7n, { size: 32 }))
  })

  it('has a hook that the event names, and a fee that the hook sets', () => {
    const event = 'event Made(address indexed token, address indexed by, address hook)'
    const launch = { ...BY_HOOK, event, pool: { hook: 'hook' } } as const
    const { events } = decoded({ launch }, [initialized({ id: 7n, fee: 0x80_00_00n }), logOf(FACTORY, event, TOKEN, WHO, HOOK)])
    expect(events).toContainEqual(expect.objectContaining({ pool: expect.objectContaining({ feeBps: null }) }))
  })

  it('is malformed without its pool, and adds nothing', () => {
    const { events, malformed, directory } = decoded({ launch: BY_HOOK }, [made()])
    expect([events, malformed.length, directory.has(TOKEN)]).toEqual([[], 1, false])
  })

  it('has the pool that the event names', () => {
    const event = 'event Made(address indexed token, address indexed by, address money, address pool)'
    const launch = { ...INTO_POOL, event, poolType: 'uniswap-v3', pool: 'pool', quoteToken: 'money' } as const
    const { events, directory } = decoded({ launch }, [logOf(FACTORY, event, TOKEN, WHO, MONEY, POOL)])
    expect(events).toMatchObject([
      { kind: 'launch', graduation: { status: 'none' } },
      { kind: 'poolCreated', main: true, pool: { address: POOL, type: 'uniswap-v3', quoteToken: MONEY, feeBps: null } },
    ])
    expect(directory.lookup(POOL)).toMatchObject({ role: 'pool', token: TOKEN })
  })

  it('has the pool that a factory makes in its transaction', () => {
    const launch = { ...INTO_POOL, poolType: 'pancakeswap-v3', pool: { factory: V3_FACTORY }, poolFeeBps: 100 } as const
    const forged = [created({ pool: OTHER_POOL, factory: OTHER_V3_FACTORY }), created({ pool: OTHER_POOL, fee: 500n })]
    const { events } = decoded({ launch }, [created({ pool: POOL }), ...forged, made()])
    expect(events).toMatchObject([
      { kind: 'launch' },
      { kind: 'poolCreated', pool: { address: POOL, type: 'uniswap-v3', quoteToken: MONEY, feeBps: 100 } },
    ])
  })

  it('trades in it, also where its swaps tell the fees of the protocol', () => {
    const event = 'event Made(address indexed token, address indexed by, address pool)'
    const launch = { ...INTO_POOL, event, poolType: 'pancakeswap-v3', pool: 'pool', poolFeeBps: 100 } as const
    const swap =
      'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 fees0, uint128 fees1)'
    const [token, quote] = [2n ** 256n - 70n, 5n]
    const amounts = TOKEN < WETH ? [token, quote] : [quote, token]
    const swapped = logOf(POOL, swap, OTHER, WHO, ...(amounts as [bigint, bigint]), Q96, 1_000n, 0n, 1n, 0n)
    const { events } = decoded({ launch }, [logOf(FACTORY, event, TOKEN, WHO, POOL), swapped])
    expect(events.at(-1)).toMatchObject({ kind: 'trade', side: 'buy', maker: WHO, amountToken: 70n, amountQuote: 5n })
  })
})

describe('a graduation to Uniswap v4', () => {
  const UP = 'event Up(address indexed token, bytes32 id)'
  const graduate = { event: UP, emitter: 'factory', token: 'token', poolType: 'uniswap-v4', poolId: 'id' } as const
  const curve = { launch: LAUNCH, trade: { ...DEAL, emitter: 'curve' } } as const
  const launched = logOf(FACTORY, LAUNCH.event, TOKEN, WHO, CURVE)

  it('has the pool of the id, in ether', () => {
    const up = logOf(FACTORY, UP, TOKEN, 7n)
    const { events } = decoded({ ...curve, graduate }, [launched, initialized({ id: 7n, quote: ZERO_ADDRESS }), up])
    const pool = { address: numberToHex(7n, { size: 32 }), type: 'uniswap-v4', quoteToken: WETH, tokenIsToken0: false, feeBps: 25 }
    expect(events.slice(-3)).toMatchObject([
      { kind: 'poolCreated', pool, main: false },
      { kind: 'poolChanged', pool: pool.address },
      { kind: 'migrated', pool: pool.address },
    ])
  })

  it('has it also where the pool was initialised before, in the currency that the mapping says', () => {
    const up = logOf(FACTORY, UP, TOKEN, 7n)
    const inEther = { quoteToken: WETH, tokenIsToken0: false }
    expect(decoded({ ...curve, graduate }, [launched, up]).events).toContainEqual(
      expect.objectContaining({ kind: 'poolCreated', pool: expect.objectContaining(inEther) }),
    )
    const inMoney = { quoteToken: MONEY, tokenIsToken0: TOKEN < MONEY }
    expect(decoded({ ...curve, graduate: { ...graduate, quoteToken: MONEY } }, [launched, up]).events).toContainEqual(
      expect.objectContaining({ kind: 'poolCreated', pool: expect.objectContaining(inMoney) }),
    )
  })

  it('has the pool of its hook, in the transaction of the event', () => {
    const byHook = { ...graduate, event: 'event Up(address indexed token)', poolId: undefined, pool: { hook: HOOK } } as const
    const up = logOf(FACTORY, byHook.event, TOKEN)
    const { events } = decoded({ ...curve, graduate: byHook }, [
      launched,
      initialized({ id: 7n }),
      initialized({ id: 8n, hooks: OTHER_HOOK }),
      up,
    ])
    expect(events.at(-1)).toMatchObject({ kind: 'migrated', pool: numberToHex(7n, { size: 32 }) })
  })
})

/** The only pool that these events make. */
function poolOf(events: readonly TokenEvent[]): Hex | undefined {
  const [pool, ...others] = events.flatMap(event => (event.kind === 'poolCreated' ? [event.pool.address] : []))
  expect(others).toEqual([])
  return pool
}

function decoded(events: EventsMapping, logs: readonly ChainLog[]) {
  const isManaged = JSON.stringify(events).includes('uniswap-v4')
  const contracts = { factory: FACTORY, ...(isManaged && { poolManager: POOL_MANAGER }) }
  const adapter = createMappedAdapter({ launchpad: 'mine', contracts, events, weth: WETH, startBlock: 0 })
  return decodedBy([adapter], logs)
}

function made(): ChainLog {
  return logOf(FACTORY, MADE, TOKEN, WHO)
}

interface Initialized {
  readonly id: bigint
  readonly manager?: Address
  readonly token?: Address
  readonly quote?: Address
  readonly fee?: bigint
  readonly spacing?: bigint
  readonly hooks?: Address
}

function initialized({
  id,
  manager = POOL_MANAGER,
  token = TOKEN,
  quote = WETH,
  fee = 2_500n,
  spacing = 60n,
  hooks = HOOK,
}: Initialized): ChainLog {
  const [currency0, currency1] = [token, quote].toSorted() as [Address, Address]
  return logOf(manager, INITIALIZE, id, currency0, currency1, fee, spacing, hooks, Q96, 0n)
}

function created({
  pool,
  factory = V3_FACTORY,
  fee = 10_000n,
}: {
  readonly pool: Address
  readonly factory?: Address
  readonly fee?: bigint
}): ChainLog {
  const [token0, token1] = [TOKEN, MONEY].toSorted() as [Address, Address]
  return logOf(factory, POOL_CREATED, token0, token1, fee, 200n, pool)
}
