import { createRandom } from '#devchain/traders/random.ts'
import { KillPoint } from '#test/endToEnd/killPoint.ts'
import { type DatabaseMisfortune, startPostgresProxy } from '#test/support/faults/postgresProxy.ts'
import { type Scenario, seconds } from './scenario.ts'
import { hasNoStatements } from './world/databaseServer.ts'
import { until } from './world/until.ts'
import type { World, WorldOptions } from './world/world.ts'

/** A backfill that takes some seconds: ranges of 100 blocks, one after another. */
const BACKFILL_BLOCKS = 3_000
const backfill: WorldOptions = { blocks: BACKFILL_BLOCKS, node: { answerMs: 30, limits: { blocks: 100 } } }
const THIRD = BACKFILL_BLOCKS / 3

/** The two ways in which a commit of a killed process ends. */
const FATES: readonly DatabaseMisfortune[] = [{ kind: 'cut-before' }, { kind: 'cut-after' }]

/** Kills the service at its next commit of blocks. */
async function killInCommit(world: World, killPoint: KillPoint, fate: DatabaseMisfortune): Promise<void> {
  const from = await world.cursor()
  killPoint.set('backfill', 'in a commit', () => void world.service.process.kill('SIGKILL'), fate)
  await until(`the service is killed in a commit after block ${from}`, () => !world.isUp)
}

/** What the tables hold once nothing of the killed process runs any more: whole batches. */
async function expectWholeBatches(world: World): Promise<number> {
  await until('the server has ended the sessions of the killed process', () => hasNoStatements(world.database.db))
  const faults = await world.faults()
  if (faults.length > 0) throw new Error(`after the kill: ${faults.join('; ')}`)
  return world.cursor()
}

export const CRASH_RECOVERY: readonly Scenario[] = [
  {
    group: 'crash recovery',
    name: 'the database is stopped for 10 s',
    checks: [
      'indexes again after the database was stopped a third into a backfill',
      'follows the head again after the database was stopped',
      'loses nothing over a stop of the database',
      'writes nothing twice over a stop of the database',
    ],
    run: async ({ world, lasting, passed }) => {
      const here = await world(backfill)
      await here.start()
      await here.reached(THIRD)
      for (const phase of ['a third into a backfill', 'at the head']) {
        const ticks = here.ticking(1_000)
        const at = await here.cursor()
        await here.database.stop()
        await lasting(10)
        await here.database.start()
        const startedAt = performance.now()
        await until('progress', async () => (await here.cursor()) > at)
        const figure = `${seconds(startedAt)}, no restart`
        ticks.stop()
        if (!here.isUp) throw new Error(`the service has ended: ${here.service.output().slice(-500)}`)
        await here.matches()
        if (phase === 'at the head') passed('follows the head again after the database was stopped', figure)
        else passed('indexes again after the database was stopped a third into a backfill', `at block ${at}, ${figure}`)
      }
      passed('loses nothing over a stop of the database')
      passed('writes nothing twice over a stop of the database')
    },
  },
  {
    group: 'crash recovery',
    name: 'the database is frozen for 20 s',
    checks: ['goes on after the database was frozen by SIGSTOP'],
    run: async ({ world, lasting, passed }) => {
      const here = await world()
      await here.start()
      await here.matches()
      const ticks = here.ticking(1_000)
      here.database.freeze()
      await lasting(20)
      here.database.thaw()
      const thawedAt = performance.now()
      ticks.stop()
      await here.matches()
      if (!here.isUp) throw new Error('the service has ended')
      passed('goes on after the database was frozen by SIGSTOP', `right after ${seconds(thawedAt)}`)
    },
  },
  {
    group: 'crash recovery',
    name: 'the service is killed at three moments',
    checks: [
      'resumes after SIGKILL from where it stood',
      'leaves no gap where it was killed',
      'applies nothing twice after a kill',
      'shows no half of a batch right after a kill',
    ],
    run: async ({ world, closing, passed }) => {
      const here = await world(backfill)
      const killPoint = new KillPoint(createRandom(1))
      const proxy = await startPostgresProxy({ url: here.database.url, misfortune: killPoint.onRequest })
      closing(() => proxy.stop())
      const start = () => here.start({ DATABASE_URL: proxy.url })
      const kills = [() => here.reached(THIRD / 2).then(() => here.kill()), ...FATES.map(fate => () => killInCommit(here, killPoint, fate))]
      const stoodAt: number[] = []
      for (const kill of kills) {
        await start()
        await kill()
        stoodAt.push(await expectWholeBatches(here))
      }
      passed('shows no half of a batch right after a kill', `killed at blocks ${stoodAt.join(', ')}`)
      await start()
      const last = stoodAt.at(-1) ?? 0
      const resumedAt = await here.cursor()
      if (resumedAt < last || stoodAt.some((at, index) => at < (stoodAt[index - 1] ?? 0))) throw new Error('it began again earlier')
      await here.matches()
      passed('resumes after SIGKILL from where it stood', 'no block twice')
      passed('leaves no gap where it was killed')
      passed('applies nothing twice after a kill')
    },
  },
  {
    group: 'crash recovery',
    name: 'the service is asked to stop',
    checks: ['exits with 0 within 15 s of SIGTERM', 'leaves a position that fits its rows'],
    run: async ({ world, passed }) => {
      const here = await world(backfill)
      const service = await here.start()
      await here.reached(THIRD)
      const askedAt = performance.now()
      const code = await service.stop()
      const took = performance.now() - askedAt
      if (code !== 0 || took > 15_000) throw new Error(`exit code ${code} after ${took} ms`)
      passed('exits with 0 within 15 s of SIGTERM', `${(took / 1_000).toFixed(1)} s`)
      const faults = await here.faults()
      if (faults.length > 0) throw new Error(faults.join('; '))
      await here.start()
      await here.matches()
      passed('leaves a position that fits its rows')
    },
  },
]
