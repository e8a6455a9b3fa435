import { describe, expect, it } from 'vitest'
import type { LaunchpadConfig } from '#config'
import type { Address } from '#domain/address.ts'
import { followLogs, type LogBlock } from '#test/support/followLogs.ts'
import { CURVE, FACTORY, LAUNCH, logOf, OTHER_CURVE, OTHER_FACTORY, PAIR, TOKEN, WETH, WHO } from './mappedLaunchpad.ts'

// A launchpad that lets any account announce any token could have announced those of others, and told their price and trades.

const DEAL = 'event Deal(address indexed who, bool buy, uint256 got, uint256 paid)'
const UP = 'event Up(address indexed token, address indexed pool)'
const EVENTS = {
  launch: LAUNCH,
  trade: { event: DEAL, emitter: 'curve', maker: 'who', isBuy: 'buy', tokenAmount: 'got', quoteAmount: 'paid' },
  graduate: { event: UP, emitter: 'factory', token: 'token', pool: 'pool', poolType: 'uniswap-v2' },
} as const
const entry = (name: string, factory: Address): LaunchpadConfig => ({
  name,
  adapter: 'bonding-curve',
  startBlock: 1,
  contracts: { factory },
  settings: { events: EVENTS },
})
const [OWN, OTHER] = [entry('own', FACTORY), entry('other', OTHER_FACTORY)]

const launch = (factory: Address, curve: Address) => logOf(factory, LAUNCH.event, TOKEN, WHO, curve)
const deal = (curve: Address, paid: bigint) => logOf(curve, DEAL, WHO, 1n, 10n ** 18n, paid)
const up = (factory: Address) => logOf(factory, UP, TOKEN, PAIR)
const sync = logOf(PAIR, 'event Sync(uint112 reserve0, uint112 reserve1)', 10n ** 18n, 10n ** 18n)

describe('a token that two launchpads announce', () => {
  const genuine = [launch(FACTORY, CURVE), deal(CURVE, 10n ** 15n)]
  const false_ = [launch(OTHER_FACTORY, OTHER_CURVE), deal(OTHER_CURVE, 10n ** 21n), up(OTHER_FACTORY), sync]

  it.each<[string, readonly LogBlock[]]>([
    ['in a later block', [[genuine], [false_]]],
    ['in the same block, before', [[false_, genuine]]],
    ['in the same transaction', [[[...false_, ...genuine]]]],
  ])('is the first one’s, and the other has nothing to tell of it: %s', async (_, blocks) => {
    for (const atOnce of [1, 2]) {
      const { tables, directory } = await followLogs({ launchpads: [OWN, OTHER], weth: WETH, blocks, atOnce })
      expect(tables.tokens.get(TOKEN)).toMatchObject({ launchpad: 'own', mainPool: CURVE, tradeCount: 1, graduationStatus: 'bonding' })
      expect([...tables.pools.keys()]).toEqual([CURVE])
      expect(tables.trades).toMatchObject([{ pool: CURVE, amountWei: 10n ** 15n }])
      expect([OTHER_CURVE, PAIR].map(directory.has)).toEqual([false, false])
    }
  })

  it('keeps the market that it was announced with when it is announced again', async () => {
    const blocks = [[genuine], [[launch(FACTORY, OTHER_CURVE), deal(OTHER_CURVE, 10n ** 21n)]]]
    const { tables } = await followLogs({ launchpads: [OWN], weth: WETH, blocks })
    const token = tables.tokens.get(TOKEN)
    expect(token).toMatchObject({ mainPool: CURVE, createdBlock: 1 })
    expect(token?.priceWeth).toBe(tables.pools.get(CURVE)?.price)
  })
})
