import { sql } from 'kysely'
import pino from 'pino'
import { parseEther } from 'viem'
import { firstThreadCpuMs, ownCpuMs } from '#benchmarks/support/processorTime.ts'
import { buyOnCurve, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import { createOrm } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { startEmbedded } from '#store/embedded/startEmbedded.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { startTestChain } from '#test/support/chain.ts'
import { openChainIndex } from '#test/support/indexChain.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

export interface TimedCommit {
  readonly block: CommittedBlock
  /** From the first statement of the transaction to the answer to its commit. */
  readonly tookMs: number
  readonly endedAtMs: number
  /** Processor time meanwhile: of this process, and of the PostgreSQL backend of the transaction. */
  readonly writerCpuMs: number
  readonly backendCpuMs: number
}

export interface CommitOptions {
  /** Default true. */
  readonly announced?: boolean
  /** Whether it reads the state of the changed token, as an indexer does that serves clients or publishes over NATS. Default true. */
  readonly reads?: boolean
}

/** Commits of blocks with one buy, from a development chain into a durable PostgreSQL, in this process. */
export interface Commits {
  readonly databaseUrl: string
  /** Of PostgreSQL. */
  readonly databasePid: number
  /** Connections that the writer does not use. */
  readonly db: Queryable
  readonly chainId: number
  /** The name under which it has claimed the database. */
  readonly writer: string
  /** The token that is bought. */
  readonly token: Address
  /** Mines and commits a block. */
  commit(options?: CommitOptions): Promise<TimedCommit>
  /** What is to be stopped before the database is. */
  onStop(stop: () => Promise<unknown>): void
  stop(): Promise<void>
}

export async function startCommits(): Promise<Commits> {
  const stops: (() => Promise<unknown>)[] = []
  // The last thing that is stopped is a process that does not keep this one alive.
  const alive = setInterval(() => {}, 1_000)
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each()
    clearInterval(alive)
  }
  try {
    return { ...(await open(stops)), onStop: each => void stops.push(each), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function open(stops: (() => Promise<unknown>)[]): Promise<Omit<Commits, 'onStop' | 'stop'>> {
  const logger = pino({ level: 'silent' })
  const folder = await makeTemporaryFolder()
  stops.push(() => folder.remove())
  const server = await startEmbedded({ dataDir: folder.path, logger })
  stops.push(() => server.stop())
  await migrate(server.url, logger)
  const writing = createOrm(server.url, logger)
  stops.push(() => writing.close(true))
  const reading = createOrm(server.url, logger)
  stops.push(() => reading.close(true))
  const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
  stops.push(() => chain.stop())

  const [, creator, trader] = chain.accounts as unknown as [Address, Address, Address]
  const { token, curve } = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP' })))
  let options: Required<CommitOptions> = { announced: true, reads: true }
  const times = timeTransactions(() => options.announced)
  const database = { orm: writing, kysely: writing.em.getKysely<unknown>() }
  const index = await openChainIndex(chain, database, null, undefined, () => options.reads, times.around)
  await index.indexEach(chain.deployment.startBlock)
  let paidWei = parseEther('0.001')
  return {
    databaseUrl: server.url,
    databasePid: server.pid,
    db: reading.em.getKysely<unknown>(),
    chainId: chain.deployment.chainId,
    writer: index.writer,
    token,
    commit: async ({ announced = true, reads = true } = {}) => {
      options = { announced, reads }
      paidWei += 1n
      const { blockNumber } = await chain.mined(buyOnCurve(chain, { from: trader, curve, paidWei }))
      const [block] = await index.indexEach(Number(blockNumber))
      if (block === undefined) throw new Error('a block was not committed')
      return { block, ...times.last() }
    },
  }
}

type Times = Omit<TimedCommit, 'block'>

/** Times transactions, and leaves the announcement out of those in which it is not wanted. */
function timeTransactions(isAnnounced: () => boolean): { around(transaction: Transaction): Transaction; last(): Times } {
  let last: Times = { tookMs: 0, endedAtMs: 0, writerCpuMs: 0, backendCpuMs: 0 }
  const around = (transaction: Transaction): Transaction => {
    return async work => {
      let pid = 0
      let begun = { atMs: 0, writerMs: 0, backendMs: 0 }
      const result = await transaction(async tx => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
        pid = rows[0]?.pid ?? 0
        begun = { backendMs: firstThreadCpuMs(pid), writerMs: ownCpuMs(), atMs: performance.now() }
        return work(isAnnounced() ? tx : withoutAnnouncement(tx))
      })
      const endedAtMs = performance.now()
      const writerCpuMs = ownCpuMs() - begun.writerMs
      last = { tookMs: endedAtMs - begun.atMs, endedAtMs, writerCpuMs, backendCpuMs: firstThreadCpuMs(pid) - begun.backendMs }
      return result
    }
  }
  return { around, last: () => last }
}

function withoutAnnouncement(tx: Queryable): Queryable {
  const real = tx.getExecutor()
  const executor = new Proxy(real, {
    get: (_, name) => {
      if (name === 'executeQuery') {
        return (...call: Parameters<typeof real.executeQuery>) =>
          call[0].sql.includes('pg_notify') ? Promise.resolve({ rows: [] }) : real.executeQuery(...call)
      }
      const value: unknown = Reflect.get(real, name)
      return typeof value === 'function' ? value.bind(real) : value
    },
  })
  return { getExecutor: () => executor }
}
