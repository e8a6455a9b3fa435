import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ChainCalls } from '#benchmarks/chain/chainCalls.ts'
import type { Figures } from '#benchmarks/harness/benchmark.ts'
import type { Checkout } from '#benchmarks/harness/checkout.ts'
import { Worker } from '#benchmarks/harness/worker.ts'
import { Load } from '#benchmarks/load/load.ts'
import { startDatabaseServer } from '#benchmarks/service/databaseServer.ts'
import { startMeasuredService } from '#benchmarks/service/measuredService.ts'
import { FACTORY, WETH } from '#test/support/simulatedLaunchpad.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import type { HotPath, Turn } from './hotPath.ts'

/** Measures hot paths of checkouts, on one chain and one PostgreSQL, each turn with new processes and a database of its own. */
export interface Course {
  measure(path: HotPath, checkout: Checkout): Promise<Figures>
  stop(): Promise<void>
}

const HISTORY = { tokens: 1_000, trades: 20_000, blocks: 500 }
const TURN_DATABASE = 'turn'
const MAKE_TIMEOUT_MS = 300_000

/** @param scale of all numbers: 1, or less to check only */
export async function openCourse(scale: number): Promise<Course> {
  const scaled = (count: number) => Math.max(1, Math.round(count * scale))
  const folder = await makeTemporaryFolder()
  const chain = Worker.start<ChainCalls>(new URL('../chain/chainProcess.ts', import.meta.url))
  const database = await startDatabaseServer()
  const stop = async () => {
    await chain.stop()
    await database.stop()
    await folder.remove()
  }
  try {
    const size = { tokens: scaled(HISTORY.tokens), trades: scaled(HISTORY.trades), blocks: scaled(HISTORY.blocks) }
    const { url, webSocketUrl } = await chain.call('open', size, MAKE_TIMEOUT_MS)
    const launchpads = [{ name: 'reference', adapter: 'bonding-curve', factory: FACTORY, startBlock: 1 }]
    const launchpadsFile = path.join(folder.path, 'launchpads.json')
    await writeFile(launchpadsFile, JSON.stringify({ weth: WETH, launchpads }))
    const common = { RPC_URLS: webSocketUrl, LAUNCHPADS_FILE: launchpadsFile, COINGECKO_URL: url, COINBASE_URL: url }

    /** Of each checkout, since each has its own tables: a database with the indexed history. */
    const templates = new Map<string, string>()
    const templateOf = async ({ main }: Checkout): Promise<string> => {
      const made = templates.get(main)
      if (made !== undefined) return made
      const name = `template_${templates.size}`
      templates.set(main, name)
      const service = await startMeasuredService(main, folder.path, { ...common, DATABASE_URL: await database.create(name) })
      await service.indexed((await chain.call('contents', null)).head)
      await service.stop()
      return name
    }

    return {
      measure: async (hotPath, checkout) => {
        await chain.call('reset', null)
        const template = hotPath.isEmpty === true ? null : await templateOf(checkout)
        const databaseUrl = await database.create(TURN_DATABASE, template)
        const started: { stop(): Promise<void> }[] = []
        const kept = <T extends { stop(): Promise<void> }>(one: T): T => {
          started.push(one)
          return one
        }
        const turn: Turn = {
          chain,
          contents: await chain.call('contents', null),
          start: async settings =>
            kept(await startMeasuredService(checkout.main, folder.path, { ...common, DATABASE_URL: databaseUrl, ...settings })),
          startLoad: async () => kept(await Load.start()),
          databaseCpuMs: database.cpuMs,
          scaled,
        }
        try {
          return await hotPath.measure(turn)
        } finally {
          for (const one of started.toReversed()) await one.stop()
          await database.drop(TURN_DATABASE)
        }
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
