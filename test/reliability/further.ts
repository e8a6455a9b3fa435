import { execFileSync } from 'node:child_process'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { createRandom } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import { REFERENCE_EVENTS } from '#launchpads/adapters/bondingCurve.ts'
import type { IndexerHealth } from '#resources/health.ts'
import { KillPoint } from '#test/endToEnd/killPoint.ts'
import { startDistantDatabase } from '#test/support/distantDatabase.ts'
import { startPostgresProxy } from '#test/support/faults/postgresProxy.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { testAddress } from '#test/support/simulatedChain.ts'
import { type Scenario, seconds } from './scenario.ts'
import { DECIMALS_SELECTOR, launchpadsFile, marketEvents, mint, SIX, tokenAt } from './world/market.ts'
import { watchAnswers } from './world/servedStates.ts'
import { until } from './world/until.ts'
import type { World } from './world/world.ts'

/* What the public suite's authors name and have not built. */

const rssMb = (here: World) => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(here.service.process.pid)])) / 1_024

/** Indexes the world's chain. @returns the most memory that the process took meanwhile, in MB */
async function peakMemory(here: World, env: Readonly<Record<string, string>> = {}): Promise<number> {
  await here.start(env)
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, rssMb(here))
  }, 500)
  await here.matches().finally(() => clearInterval(watch))
  return peak
}

export const FURTHER: readonly Scenario[] = [
  {
    group: 'further',
    name: 'the same chain twice',
    checks: ['gives the same tables twice, whatever the ranges'],
    run: async ({ world, passed }) => {
      const dumps = []
      for (const node of [{}, { answerMs: 5, limits: { blocks: 70 } }]) {
        const here = await world({ blocks: 600, node })
        await here.start()
        await here.matches()
        dumps.push(await dumpTables(here.database.db))
        await here.kill()
      }
      if (!isDeepStrictEqual(dumps[0], dumps[1])) throw new Error('the tables differ')
      passed('gives the same tables twice, whatever the ranges')
    },
  },
  {
    group: 'further',
    name: 'an event that can not be decoded',
    checks: ['skips an event that does not decode, says so, and loses nothing else'],
    run: async ({ world, passed }) => {
      const broken = { kind: 'broken', token: tokenAt(0) } as const
      const here = await world({
        contents: (number, branch) => [...marketEvents(number, branch, 2), ...(number % 20 === 0 ? [broken] : [])],
      })
      await here.start()
      await here.matches()
      here.chain.grow(40)
      await here.matches()
      const warnings = here.service.output().match(/skipped logs that do not fit their event/g) ?? []
      if (warnings.length === 0) throw new Error('no line of the log says so')
      passed('skips an event that does not decode, says so, and loses nothing else')
    },
  },
  {
    group: 'further',
    name: 'every statement takes 100 ms',
    checks: ['keeps its memory bounded when every statement takes 100 ms'],
    run: async ({ world, closing, passed }) => {
      const busy = { blocks: 2_000, contents: (number: number, branch: number) => marketEvents(number, branch, 6) }
      const fast = await world(busy)
      const usual = await peakMemory(fast)
      await fast.kill()
      const slow = await world(busy)
      const proxy = await startDistantDatabase(slow.database.url, 50)
      closing(proxy.stop)
      const peak = await peakMemory(slow, { DATABASE_URL: proxy.url })
      const figure = `${Math.round(peak)} MB, ${Math.round(usual)} MB without`
      // What a queue of blocks that wait would add grows with the chain; garbage that is not collected yet does not.
      if (peak > 1.5 * usual + 100) throw new Error(figure)
      passed('keeps its memory bounded when every statement takes 100 ms', figure)
    },
  },
  {
    group: 'further',
    name: 'killed while it commits what breaks others',
    checks: ['is no longer killed by a block that it was killed at'],
    run: async ({ world, closing, passed }) => {
      const here = await world()
      const killPoint = new KillPoint(createRandom(1))
      const proxy = await startPostgresProxy({ url: here.database.url, misfortune: killPoint.onRequest })
      closing(() => proxy.stop())
      await here.start({ DATABASE_URL: proxy.url })
      await here.matches()
      const name = `\0${'\u{1f4a5}'.repeat(2_000)}\ud800`
      const launch = { kind: 'launch', token: tokenAt(901), creator: testAddress(7), name: 'Po\0ison', symbol: name } as const
      killPoint.set('follow', 'in a commit', () => void here.service.process.kill('SIGKILL'), { kind: 'cut-after' })
      here.chain.grow(1, () => [launch, mint(launch.token, testAddress(8), 2n ** 256n - 1n)])
      await until('the service is killed', () => !here.isUp)
      await here.start({ DATABASE_URL: proxy.url })
      here.chain.grow(2)
      await here.reached(here.chain.head.number)
      if (!here.isUp) throw new Error('the service has ended again')
      passed('is no longer killed by a block that it was killed at', 'one restart')
    },
  },
  {
    group: 'further',
    name: 'read while the chain is replaced',
    checks: ['answers only with states that the chain held, over reorgs'],
    run: async ({ world, lasting, passed }) => {
      const here = await world()
      const { chain } = here
      await here.start({ RATE_LIMIT_PER_MINUTE: '0' })
      await here.matches()
      const watch = watchAnswers(here, tokenAt(0))
      for (let round = 0; round < 10; round++) {
        chain.replace(1 + (round % 5), 3)
        await lasting(3)
      }
      const { answers, faults } = await watch.stop()
      if (faults.length > 0) throw new Error(`${faults.length} of ${answers}: ${faults[0]}`)
      await here.matches()
      passed('answers only with states that the chain held, over reorgs', `${answers} answers`)
    },
  },
  {
    group: 'further',
    name: 'started on tables of another schema',
    checks: ['refuses tables of a newer version or another WETH, and changes nothing', 'applies an edited mapping to the tables there are'],
    run: async ({ world, passed }) => {
      // An edit joins once as many blocks as a reorg may have follow its first one.
      const here = await world({ blocks: 400, node: { calls: { [DECIMALS_SELECTOR]: SIX } } })
      const { db } = here.database
      await here.start()
      await here.matches()
      await here.service.stop()
      const refused = async () => {
        const before = await dumpTables(db)
        const error = await here.start().then(
          () => null,
          (reason: unknown) => String(reason),
        )
        if (error === null) throw new Error('it started')
        if (!isDeepStrictEqual(await dumpTables(db), before)) throw new Error('it changed the tables')
        return error
      }
      await sql`insert into mikro_orm_migrations (name) values ('Migration9999Newer')`.execute(db)
      const newer = await refused()
      await sql`delete from mikro_orm_migrations where name = 'Migration9999Newer'`.execute(db)
      here.launchpads = launchpadsFile(undefined, testAddress(78))
      const other = await refused()
      if (!/newer/.test(newer) || !/WETH/i.test(other)) throw new Error(`it says ${newer} and ${other}`)
      passed('refuses tables of a newer version or another WETH, and changes nothing')

      here.launchpads = launchpadsFile({ ...REFERENCE_EVENTS, quoteToken: testAddress(77) })
      await here.start()
      await until(
        'all curves have the other currency',
        async () => {
          const { rows } = await sql<{
            readonly quote: Address
          }>`select distinct '0x' || encode(quote_token, 'hex') as quote from pool`.execute(db)
          return rows.map(({ quote }) => quote).join()
        },
        undefined,
        testAddress(77),
      )
      here.chain.grow(2)
      await here.matches()
      passed('applies an edited mapping to the tables there are')
    },
  },
  {
    group: 'further',
    name: 'one of two chains stalls',
    checks: ['follows one chain while the node of the other hangs'],
    run: async ({ world, lasting, passed }) => {
      const stalled = await world()
      const moving = await world({ chainId: 10, database: await stalled.database.beside() })
      for (const here of [stalled, moving]) {
        await here.start()
        await here.matches()
      }
      stalled.node.view.fault = () => ({ kind: 'hang' })
      const ticks = [stalled, moving].map(here => here.ticking(1_000))
      await lasting(60)
      for (const one of ticks) one.stop()
      const stoppedAt = performance.now()
      await moving.matches()
      const figure = seconds(stoppedAt)
      stalled.node.view.fault = () => undefined
      await stalled.matches()
      passed('follows one chain while the node of the other hangs', `current after ${figure}`)
    },
  },
  {
    group: 'further',
    name: 'the disk of the database is full',
    checks: ['serves while the disk is full, names it, and goes on by itself'],
    run: async ({ world, passed }) => {
      const here = await world({ diskMb: 250, contents: (number, branch) => marketEvents(number, branch, 40) })
      await here.start()
      await here.matches()
      const free = await here.database.fillDisk()
      here.chain.grow(200)
      const health = async () => await (await fetch(`${here.service.url}/api/indexer/health`)).json()
      await until('health names the disk', async () => /disk is full/.test(String(((await health()) as IndexerHealth).reasons)))
      await here.get('/api/trades?limit=10')
      await here.get(`/api/tokens/${tokenAt(0)}`)
      await free()
      const freedAt = performance.now()
      await here.matches()
      if (!here.isUp) throw new Error('the service has ended')
      passed('serves while the disk is full, names it, and goes on by itself', `right after ${seconds(freedAt)}`)
    },
  },
]
