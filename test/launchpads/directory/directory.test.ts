import { describe, expect, it } from 'vitest'
import { createDirectory } from '#launchpads/directory/directory.ts'
import { positionKey, sourceOf } from '#launchpads/logSource.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { testAddress } from '#test/support/simulatedChain.ts'
import { CLANKER_V4, CLANKER_V31 } from '#test/support/simulatedClanker.ts'

const WETH = testAddress(900)
const TOKEN = testAddress(500)
const POOL_ID = `0x${'ab'.repeat(32)}` as const
const entry = (name: string, adapter: string, contracts: typeof CLANKER_V31 | typeof CLANKER_V4 | { factory: typeof TOKEN }) => ({
  name,
  adapter,
  startBlock: 1,
  contracts,
})
const V31 = entry('three', 'clanker-v3.1', CLANKER_V31)
const V4 = entry('four', 'clanker-v4', CLANKER_V4)
const directoryOf = (...launchpads: readonly (typeof V31)[]) => createDirectory(createAdapters({ weth: WETH, launchpads }))

describe('what has to be fetched', () => {
  it('is all of what the contracts and tokens say, bar contracts of whose logs few matter', () => {
    const directory = directoryOf(V31, V4)
    directory.add([{ key: TOKEN, source: { role: 'token', launchpad: 'four', token: TOKEN } }], 1)
    const { addresses, filtered } = directory.partsWith([])
    const { factory, feeLocker } = CLANKER_V4
    expect([...addresses].toSorted()).toEqual([CLANKER_V31.factory, CLANKER_V31.locker, factory, feeLocker, TOKEN].toSorted())
    // No pool is known yet that the PoolManager could tell of.
    expect(filtered).toMatchObject([
      { address: CLANKER_V31.uniswapFactory, topics: [[expect.any(String)], null, null, [expect.any(String)]] },
    ])
  })

  it('of a PoolManager is what it says of the pools that are asked for, by their ids', () => {
    const directory = directoryOf(V4)
    const { addresses, filtered } = directory.partsOf([POOL_ID])
    expect([...addresses]).toEqual([])
    expect(filtered).toMatchObject([{ address: CLANKER_V4.poolManager, topics: [expect.any(Array), new Set([POOL_ID])] }])
    expect(filtered[0]?.topics[0]).toHaveLength(3)
    const pool = { address: POOL_ID, type: 'uniswap-v4', quoteToken: WETH, tokenIsToken0: true, feeBps: null } as const
    directory.add([{ key: POOL_ID, source: { role: 'pool', launchpad: 'four', token: TOKEN, pool, tokenDecimals: 18 } }], 1)
    // A curve inside a contract for all tokens has a key of the same length.
    const curve = { ...pool, address: `0x${'cd'.repeat(32)}`, type: 'curve' } as const
    directory.add([{ key: curve.address, source: { role: 'pool', launchpad: 'own', token: TOKEN, pool: curve, tokenDecimals: 18 } }], 1)
    const all = directory.partsWith([])
    expect([...(all.filtered[0]?.topics[1] ?? [])]).toEqual([POOL_ID])
    expect([...all.addresses]).not.toContain(POOL_ID)
  })

  it('is everything of a contract that another launchpad wants whole', () => {
    const directory = directoryOf(V31, entry('own', 'bonding-curve', { factory: CLANKER_V31.uniswapFactory }))
    const { addresses, filtered } = directory.partsWith([])
    expect([...addresses]).toContain(CLANKER_V31.uniswapFactory)
    expect(filtered).toEqual([])
  })

  it('is what either wants of a contract of which two launchpads want some logs', () => {
    const wow = {
      ...V31,
      name: 'wow',
      adapter: 'wow',
      contracts: { ...CLANKER_V31, factory: testAddress(90), protocolRewards: testAddress(91) },
    }
    for (const directory of [directoryOf(V31, wow), directoryOf(wow, V31)]) {
      const { filtered } = directory.partsWith([])
      // Pools of every fee: the filter of the one for its fee is not enough for the other.
      expect(filtered).toEqual([{ address: CLANKER_V31.uniswapFactory, topics: [[expect.any(String)]] }])
    }
  })
})

it('finds positions by their locker and number, and forgets them with the blocks that announced them', () => {
  const directory = directoryOf(V31)
  const { locker } = CLANKER_V31
  const pool = {
    address: testAddress(5),
    type: 'uniswap-v3',
    quoteToken: WETH,
    tokenIsToken0: true,
    feeBps: 100,
  } as const
  directory.add([{ key: positionKey(locker, 5n), source: { role: 'position', launchpad: 'three', token: TOKEN, pool } }], 7)
  const topic = `0x${'5'.padStart(64, '0')}` as const
  const source = (address: typeof locker, which: Pick<typeof directory, 'lookup'> = directory) =>
    sourceOf({ address, topics: [POOL_ID, topic] }, which)
  expect(source(locker)).toMatchObject({ role: 'position', token: TOKEN })
  expect(source(testAddress(77))).toBeUndefined()
  expect(source(locker, directory.upTo(6))).toEqual({ role: 'locker', launchpad: 'three' })
  const all = directory.partsWith([])
  expect([...all.addresses]).not.toContain(positionKey(locker, 5n))
  expect(all.filtered.map(({ address }) => address)).toEqual([CLANKER_V31.uniswapFactory])
})
