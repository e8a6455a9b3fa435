import { type Chain, startChain } from '#benchmarks/chain/startChain.ts'
import type { Figures } from '#benchmarks/harness/benchmark.ts'
import type { Checkout } from '#benchmarks/harness/checkout.ts'
import { Load } from '#benchmarks/load/load.ts'
import { type DatabaseServer, startDatabaseServer } from '#benchmarks/service/databaseServer.ts'
import { startMeasuredService } from '#benchmarks/service/measuredService.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import type { HotPath, Turn } from './hotPath.ts'

const HISTORY = { tokens: 1_000, trades: 20_000, blocks: 500 }
const TURN_DATABASE = 'turn'

interface Stopped {
  stop(): Promise<void>
}

/** Measures hot paths of checkouts, on one chain and one PostgreSQL, each turn with new processes and a database of its own. */
export class Course {
  readonly #chain: Chain
  readonly #database: DatabaseServer
  readonly #folder: string
  readonly #scaled: (count: number) => number
  /** By the checkout's script, since each checkout has its own tables: a database with the indexed history. */
  readonly #templates = new Map<string, string>()

  private constructor(chain: Chain, database: DatabaseServer, folder: string, scaled: (count: number) => number) {
    this.#chain = chain
    this.#database = database
    this.#folder = folder
    this.#scaled = scaled
  }

  /** @param scale of all numbers: 1, or less to check only */
  static async run<T>(scale: number, work: (course: Course) => Promise<T>): Promise<T> {
    const scaled = (count: number) => Math.max(1, Math.round(count * scale))
    const folder = await makeTemporaryFolder()
    const stops: (() => Promise<void>)[] = [folder.remove]
    try {
      const database = await startDatabaseServer()
      stops.push(database.stop)
      const size = { tokens: scaled(HISTORY.tokens), trades: scaled(HISTORY.trades), blocks: scaled(HISTORY.blocks) }
      const chain = await startChain(size, folder.path)
      stops.push(() => chain.calls.stop())
      return await work(new Course(chain, database, folder.path, scaled))
    } finally {
      for (const stop of stops.toReversed()) await stop()
    }
  }

  async measure(hotPath: HotPath, checkout: Checkout): Promise<Figures> {
    const { calls } = this.#chain
    await calls.call('reset', null)
    const databaseUrl = await this.#database.create(TURN_DATABASE, hotPath.isEmpty === true ? null : await this.#templateOf(checkout))
    const started: Stopped[] = []
    const kept = <T extends Stopped>(one: T): T => {
      started.push(one)
      return one
    }
    const turn: Turn = {
      chain: calls,
      contents: await calls.call('contents', null),
      start: async settings => kept(await this.#start(checkout, { DATABASE_URL: databaseUrl, ...settings })),
      startLoad: async () => kept(await Load.start()),
      databaseUrl,
      databaseCpuMs: this.#database.cpuMs,
      scaled: this.#scaled,
    }
    try {
      return await hotPath.measure(turn)
    } finally {
      for (const one of started.toReversed()) await one.stop()
      await this.#database.drop(TURN_DATABASE)
    }
  }

  async #templateOf(checkout: Checkout): Promise<string> {
    const made = this.#templates.get(checkout.main)
    if (made !== undefined) return made
    const name = `template_${this.#templates.size}`
    const service = await this.#start(checkout, { DATABASE_URL: await this.#database.create(name) })
    await service.indexed((await this.#chain.calls.call('contents', null)).head)
    await service.stop()
    this.#templates.set(checkout.main, name)
    return name
  }

  #start({ main, settings: ofCheckout }: Checkout, settings: Readonly<Record<string, string>>) {
    return startMeasuredService(main, this.#folder, { ...this.#chain.settings, ...settings, ...ofCheckout })
  }
}
