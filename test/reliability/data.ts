import type { Address } from '#domain/address.ts'
import { REFERENCE_EVENTS } from '#launchpads/adapters/bondingCurve.ts'
import type { Holder } from '#resources/holders.ts'
import type { Page } from '#resources/resource.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { testAddress } from '#test/support/simulatedChain.ts'
import { type Scenario, seconds } from './scenario.ts'
import { NOTHING } from './world/chain.ts'
import { DECIMALS_SELECTOR, launchpadsFile, type MarketEvent, mint, SIX, SYMBOL_SELECTOR, tokenAt } from './world/market.ts'
import type { World } from './world/world.ts'

const DOLLAR = testAddress(77)
const HUGE = 2n ** 256n - 1n
/** The index that some providers give to logs of their own. */
const HUGE_LOG_INDEX = 0xffff_ffe2

async function expectToken(here: World, token: Address, expected: (token: Token) => unknown): Promise<void> {
  const found = await here.get<Token>(`/api/tokens/${token}`)
  if (expected(found) !== true) throw new Error(`REST answers ${JSON.stringify(found)}`)
}

export const DATA: readonly Scenario[] = [
  {
    group: 'data',
    name: 'values that break things',
    checks: [
      'keeps a currency whose symbol() returns 0x',
      'stores a name with NUL',
      'indexes both kinds of events',
      'stores 2^256-1 exactly',
      'passes 500 empty blocks',
    ],
    run: async ({ world, passed }) => {
      const launchpads = launchpadsFile({ ...REFERENCE_EVENTS, quoteToken: DOLLAR })
      const here = await world({ launchpads, node: { calls: { [DECIMALS_SELECTOR]: SIX, [SYMBOL_SELECTOR]: '0x' } } })
      await here.start()
      await here.matches()
      const { data: trades } = await here.get<Page<Trade, unknown>>('/api/trades?limit=500')
      const { data: launches } = await here.get<Page<Token, unknown>>('/api/tokens?limit=100')
      const expected = here.chain.blocks.flatMap(({ events }) => events.map(({ event }) => event.kind))
      const counts = { trade: trades.length, launch: launches.length }
      for (const kind of ['trade', 'launch'] as const) {
        if (counts[kind] !== expected.filter(one => one === kind).length) throw new Error(`${counts[kind]} of kind ${kind}`)
      }
      passed('indexes both kinds of events', `${counts.trade} trades, ${counts.launch} launches`)

      here.chain.grow(1)
      await here.matches()
      await expectToken(here, tokenAt(0), ({ pool }) => pool?.quoteToken === DOLLAR && pool.quoteSymbol === null)
      passed('keeps a currency whose symbol() returns 0x', 'as null')

      const named: MarketEvent = { kind: 'launch', token: tokenAt(900), creator: testAddress(900), name: 'Nu\0l', symbol: '\0' }
      here.chain.grow(1, () => [named, mint(named.token, testAddress(5), HUGE)])
      await here.matches()
      await expectToken(here, named.token, ({ name, symbol }) => name === 'Nul' && symbol === null)
      passed('stores a name with NUL', 'without it')
      const { data: holders } = await here.get<Page<Holder, unknown>>(`/api/tokens/${named.token}/holders`)
      if (holders[0]?.balance !== HUGE.toString()) throw new Error(`the balance is ${holders[0]?.balance}`)
      passed('stores 2^256-1 exactly')

      const grownAt = performance.now()
      here.chain.grow(500, NOTHING)
      here.chain.grow(2)
      await here.matches()
      passed('passes 500 empty blocks', seconds(grownAt))
    },
  },
  {
    group: 'data',
    name: 'log indexes near 2^32',
    checks: ['stores the log index 0xffffffe2'],
    run: async ({ world, passed }) => {
      const here = await world({ firstLogIndex: HUGE_LOG_INDEX })
      await here.start()
      await here.matches()
      here.chain.grow(3)
      await here.matches()
      here.chain.replace(2)
      await here.matches()
      passed('stores the log index 0xffffffe2', 'in ranges, at the head and over a reorg')
    },
  },
]
