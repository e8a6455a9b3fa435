import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import { quantile } from '#benchmarks/harness/quantile.ts'
import { expectTrades } from '#benchmarks/hotPaths/expectTrades.ts'
import type { HotPath, Turn } from '#benchmarks/hotPaths/hotPath.ts'
import type { MeasuredService } from '#benchmarks/service/measuredService.ts'
import type { IndexerHealth } from '#resources/health.ts'
import { createOrm } from '#store/connection/orm.ts'
import { startDistantDatabase } from '#test/support/distantDatabase.ts'

const TRADES = 25
const SAMPLE_MS = 10
const HEALTH_MS = 250
const WARM_UP_BLOCKS = 20

interface Pace {
  readonly everyMs: number
  /** The round trip to the database, which a proxy makes that long. */
  readonly awayMs: number
}

const PACES: readonly Pace[] = [
  { everyMs: 100, awayMs: 0 },
  { everyMs: 250, awayMs: 0 },
  { everyMs: 1_000, awayMs: 20 },
  { everyMs: 1_000, awayMs: 100 },
]

/** Whether the index keeps up with a chain. A block that was just mined is one behind until it is committed. */
export function paces(minutes: number): readonly HotPath[] {
  return PACES.map(pace => ({
    name: `${pace.everyMs} ms${pace.awayMs === 0 ? '' : `, database ${pace.awayMs} ms away`}`,
    about: `a block of ${TRADES} trades every ${pace.everyMs} ms for ${minutes} min, whether or not the one before is indexed`,
    figures: [
      { name: 'blocks behind', unit: '', better: 'less' },
      { name: 'p95', unit: '', better: 'less' },
      { name: 'lag in health off by', unit: '', better: 'less' },
      { name: 'service CPU per trade', unit: 'µs', better: 'less' },
      { name: 'database CPU per trade', unit: 'µs', better: 'less' },
    ],
    measure: async turn => {
      const distant = await startDistantDatabase(turn.databaseUrl, pace.awayMs / 2)
      const orm = createOrm(turn.databaseUrl, pino({ level: 'silent' }), { poolSize: 1 })
      try {
        const cursor = async () => {
          const { rows } = await sql<{ number: number }>`select cursor_number as number from chain_state`.execute(orm.em.getKysely())
          return rows[0]?.number ?? 0
        }
        return await follow(turn, await turn.start(pace.awayMs === 0 ? {} : { DATABASE_URL: distant.url }), { pace, minutes, cursor })
      } finally {
        await orm.close(true)
        await distant.stop()
      }
    },
  }))
}

interface Followed {
  readonly pace: Pace
  readonly minutes: number
  /** The newest block in the database. */
  cursor(): Promise<number>
}

async function follow(turn: Turn, service: MeasuredService, { pace, minutes, cursor }: Followed) {
  await service.indexed(turn.contents.head)
  const traded = Array.from({ length: turn.scaled(TRADES) }, (_, token) => token)
  let head = turn.contents.head
  const mine = async (count: number) => {
    const begunAtMs = performance.now()
    for (let block = 0; block < count; block++) {
      await pause(Math.max(0, begunAtMs + block * pace.everyMs - performance.now()))
      head = (await turn.chain.call('mine', traded)).number
    }
  }
  await mine(turn.scaled(WARM_UP_BLOCKS))
  await service.indexed(head)
  const before = { service: (await service.usage()).cpuMs, database: await turn.databaseCpuMs() }
  const blocks = turn.scaled((minutes * 60_000) / pace.everyMs)
  const mined = mine(blocks)
  const [behind, offBy] = await Promise.all([
    sampledUntil(mined, SAMPLE_MS, async () => head - (await cursor())),
    sampledUntil(mined, HEALTH_MS, async () => {
      // While the service is not well the status is 503, with the same body.
      const { lagBlocks } = (await (await fetch(`${service.url}/api/indexer/health`)).json()) as IndexerHealth
      return Math.abs((lagBlocks ?? Number.POSITIVE_INFINITY) - (head - (await cursor())))
    }),
  ])
  await service.indexed(head)
  const after = { service: (await service.usage()).cpuMs, database: await turn.databaseCpuMs() }
  await expectTrades(service, await turn.chain.call('contents', null))
  const perTrade = 1_000 / (blocks * traded.length)
  return {
    'blocks behind': Math.max(...behind),
    p95: quantile(
      behind.toSorted((a, b) => a - b),
      0.95,
    ),
    'lag in health off by': Math.max(...offBy),
    'service CPU per trade': (after.service - before.service) * perTrade,
    'database CPU per trade': (after.database - before.database) * perTrade,
  }
}

async function sampledUntil(end: Promise<unknown>, everyMs: number, sample: () => Promise<number>): Promise<readonly number[]> {
  const ended = new AbortController()
  const ending = end.then(() => ended.abort())
  const samples: number[] = []
  while (!ended.signal.aborted) {
    samples.push(await sample())
    await Promise.race([ending, pause(everyMs)])
  }
  return samples
}
