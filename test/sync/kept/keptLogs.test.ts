import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { type ChainSource, createChainSource } from '#chain/chainSource.ts'
import type { LaunchpadConfig } from '#config'
import { createRandom } from '#devchain/traders/random.ts'
import type { Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { createDirectory } from '#launchpads/directory/directory.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { createKeptTables, dropKeptTables } from '#store/keptLogs.ts'
import { createKeptSource, createKeptWriter, keptLaunchpad } from '#sync/kept/keptLogs.ts'
import { fetchRange, type RangeSource } from '#sync/prefetch.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import type { SimulatedChain } from '#test/support/simulatedChain.ts'
import { CLANKER_V4, CLANKER_V31, DOLLAR, DOLLAR_POOL } from '#test/support/simulatedClanker.ts'
import { FACTORY, START_BLOCK, WETH } from '#test/support/simulatedLaunchpad.ts'

const { kysely, orm } = await useDatabase({ migrated: false })

const REFERENCE = { name: 'reference', adapter: 'bonding-curve', startBlock: START_BLOCK, contracts: { factory: FACTORY } }
const CLANKERS = [
  { name: 'clanker', adapter: 'clanker-v3.1', startBlock: START_BLOCK, contracts: CLANKER_V31 },
  { name: 'clanker4', adapter: 'clanker-v4', startBlock: START_BLOCK, contracts: CLANKER_V4 },
  { name: 'dollars', adapter: 'quote-pool', startBlock: START_BLOCK, contracts: { token: DOLLAR, pool: DOLLAR_POOL } },
]
const ALL = [REFERENCE, ...CLANKERS]
const BLOCKS = 60

beforeEach(async () => {
  await dropKeptTables(kysely)
  await createKeptTables(createTransaction(orm), { chainId: 1, genesisHash: '0x00' }, 'DATABASE_URL')
})

function openKept(source: ChainSource, list: readonly LaunchpadConfig[]) {
  const writer = createKeptWriter({ db: kysely, isProven: false, logger: silentLogger })
  const launchpads = createAdapters({ weth: WETH, launchpads: list }).map(keptLaunchpad)
  const kept = createKeptSource({ source, databases: [kysely], launchpads, needsProof: false, writer })
  return { source: kept, settled: () => writer.settled() }
}

interface Walk {
  readonly launchpads: readonly LaunchpadConfig[]
  readonly to: number
  /** The number of blocks to ask for next. */
  readonly blocks: () => number
  readonly maxLogs?: number
}

describe('logs that are kept', () => {
  it('are all that a rebuild needs, with hardly a question to a provider', async () => {
    const { chain, mine } = createForkingChain(createRandom(3), 10)
    mine(BLOCKS)
    const all = { launchpads: ALL, to: BLOCKS, blocks: () => 17 }
    const first = countedSource(chain)
    const until = openKept(first.source, ALL)
    await walk(until.source, { ...all, to: BLOCKS / 2 })
    await until.settled()
    // Another process goes on with the runs that there are.
    const kept = openKept(first.source, ALL)
    const indexed = await walk(kept.source, all)
    await kept.settled()
    expect((await sql`select from tokenwire_logs.run group by filter having count(*) > 1`.execute(kysely)).rows).toEqual([])
    expect(indexed.logs.length).toBeGreaterThan(100)
    expect(indexed).toEqual(await walk(countedSource(chain).source, all))

    const again = countedSource(chain)
    expect(await walk(openKept(again.source, ALL).source, all)).toEqual(indexed)
    expect(again.count('eth_getLogs')).toBe(0)
    // The end of the run, and the ends of the last range.
    expect(again.calls.length).toBeLessThan(10)
  })

  it('serve each list of launchpads that was followed, together or apart; a list with more is asked for whole', async () => {
    const { chain, mine } = createForkingChain(createRandom(4), 10)
    mine(BLOCKS)
    /** What is indexed of a list, and how often a provider is asked for logs. */
    const indexOf = async (launchpads: readonly LaunchpadConfig[]) => {
      const counted = countedSource(chain)
      const kept = openKept(counted.source, launchpads)
      const walked = { launchpads, to: BLOCKS, blocks: () => 20 }
      expect(await walk(kept.source, walked)).toEqual(await walk(countedSource(chain).source, walked))
      await kept.settled()
      return counted.count('eth_getLogs')
    }
    expect(await indexOf([REFERENCE])).toBeGreaterThan(0)
    expect(await indexOf(CLANKERS)).toBeGreaterThan(0)
    expect(await indexOf(ALL)).toBe(0)
    expect(await indexOf(CLANKERS.slice(1))).toBe(0)
    expect(await indexOf([{ ...REFERENCE, contracts: { factory: CLANKER_V31.factory } }, ...CLANKERS])).toBeGreaterThan(0)
  })

  it.each(Array.from({ length: 8 }, (_, seed) => seed + 1))(
    'give what the chain gives, whatever lists, ranges, holes, ends of processes and reorgs there were (seed %i)',
    async seed => {
      const random = createRandom(seed)
      const forking = createForkingChain(random, BLOCKS)
      const blocks = () => 1 + random.integer(0, 24)
      const list = () => [[REFERENCE], CLANKERS, ALL][random.integer(0, 2)] ?? ALL
      forking.mine(BLOCKS)
      for (let round = 0; round < 4; round++) {
        const head = forking.chain.head().header.number
        const launchpads = list()
        const options = { launchpads, to: START_BLOCK + random.integer(0, head - 1), maxLogs: [40, 1e9][random.integer(0, 1)] ?? 1e9 }
        const kept = openKept(countedSource(forking.chain).source, launchpads)
        const { logs, last } = await walk(kept.source, { ...options, blocks })
        const { logs: expected } = await walk(countedSource(forking.chain).source, { ...options, blocks })
        expect(logs).toEqual(expected)
        expect(last).toBe(forking.chain.at(options.to).header.hash)
        // A process that is killed may not have written its last range.
        if (random.integer(0, 1) === 0) await kept.settled()
        else
          await kept.settled().then(() =>
            sql`delete from tokenwire_logs.range where (run, to_block) in
          (select run, max(to_block) from tokenwire_logs.range group by run)`.execute(kysely),
          )
        if (random.integer(0, 2) === 0) forking.fork(1 + random.integer(0, BLOCKS / 2 - 1), 1)
      }
    },
  )
})

it('are refused for another chain in one sentence', async () => {
  const other = { chainId: 8453, genesisHash: '0x00' } as const
  await expect(createKeptTables(createTransaction(orm), other, 'DATABASE_URL')).rejects.toMatchObject({
    code: 'database_foreign',
    message: 'DATABASE_URL: its kept logs are of chain 1, and the RPC serves chain 8453; npm run db:logs -- drop removes them',
  })
})

/** A source over the chain that notes what providers are asked for. */
function countedSource(chain: Pick<SimulatedChain, 'answer'>) {
  const calls: { readonly method: string; readonly params: readonly unknown[] }[] = []
  const intercept = (_: string, call: { readonly method: string; readonly params: readonly unknown[] }, answer: () => unknown) => {
    calls.push(call)
    return answer()
  }
  const count = (method: string) => calls.filter(call => call.method === method).length
  return { source: createChainSource({ rpc: createChainRpc([chain], { intercept }) }), calls, count }
}

/** Fetches ranges up to a block, as a backfill does, and returns what would be indexed. */
async function walk(source: RangeSource, { launchpads, to, blocks, maxLogs = 1e9 }: Walk) {
  const directory = createDirectory(createAdapters({ weth: WETH, launchpads }))
  const logs: ChainLog[] = []
  let last: Hex = '0x'
  for (let from = START_BLOCK; from <= to; ) {
    const batch = await fetchRange(source, directory, { from, to: Math.min(to, from + blocks() - 1), announced: [], maxLogs })
    if (logs.length > 0) expect(batch.first.parentHash).toBe(last)
    expect(batch.headers.map(({ number }) => number)).toEqual([...new Set(batch.logs.map(({ blockNumber }) => blockNumber))])
    logs.push(...batch.logs)
    directory.add(directory.discoveries(batch.logs), batch.to.number)
    last = batch.to.hash
    from = batch.to.number + 1
  }
  return { logs, last }
}
