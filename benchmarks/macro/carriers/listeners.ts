import { setTimeout as pause } from 'node:timers/promises'
import { treeCpuMs } from '#benchmarks/macro/backfill/processUsage.ts'
import type { ListeningCalls } from '#benchmarks/servers/listeningCalls.ts'
import { ownCpuMs } from '#benchmarks/support/processorTime.ts'
import { Worker } from '#benchmarks/support/worker.ts'
import { readSequences } from '#store/rows/announcement.ts'
import type { Commits } from './commits.ts'
import type { Carrier } from './openCarriers.ts'

export interface ListenersOptions {
  /** How many gateways listen, in turns; then the same in reverse. */
  readonly counts: readonly number[]
  /** Measured commits per turn. */
  readonly blocks: number
  /** The pause before each block, in which the gateways read the previous one. */
  readonly everyMs: number
}

/** What commits cost while gateways listen. Each list has a value per commit, in ms. */
export interface ListenedCommits {
  readonly listeners: number
  /** With the publication, where NATS carries it. */
  readonly tookMs: number[]
  /** Processor time of the process that commits and publishes, and of the PostgreSQL backend that executes the transaction. */
  readonly writerCpuMs: number[]
  readonly backendCpuMs: number[]
  /** Processor time of the gateways' process and of all of PostgreSQL, per commit on average: a value per turn. */
  readonly gatewaysCpuMs: number[]
  readonly databaseCpuMs: number[]
}

const WARM_UP_BLOCKS = 3

/** Commits blocks while the given numbers of gateways listen to a carrier, and checks that each has the newest state after its turn. */
export async function costOfListeners(commits: Commits, carrier: Carrier, options: ListenersOptions): Promise<readonly ListenedCommits[]> {
  const gateways = Worker.start<ListeningCalls>(new URL('../../servers/listeningProcess.ts', import.meta.url))
  const { databaseUrl, chainId, token } = commits
  const results = options.counts.map(
    (listeners): ListenedCommits => ({
      listeners,
      tookMs: [],
      writerCpuMs: [],
      backendCpuMs: [],
      gatewaysCpuMs: [],
      databaseCpuMs: [],
    }),
  )
  try {
    for (const result of [...results, ...results.toReversed()]) {
      await gateways.call('listen', { count: result.listeners, databaseUrl, natsUrl: carrier.natsUrl, chainId, token })
      await takeTurn(commits, carrier, gateways, options, result)
    }
  } finally {
    await gateways.stop()
  }
  return results
}

async function takeTurn(
  { commit, db, databasePid, token }: Commits,
  { carriesStates: reads, publish }: Carrier,
  gateways: Worker<ListeningCalls>,
  { blocks, everyMs }: ListenersOptions,
  result: ListenedCommits,
): Promise<void> {
  const usage = async () => ({ gateways: await gateways.call('cpuMs', null), database: await treeCpuMs(databasePid) })
  let before = await usage()
  for (let round = 0; round < WARM_UP_BLOCKS + blocks; round++) {
    await pause(everyMs)
    if (round === WARM_UP_BLOCKS) before = await usage()
    const { block, tookMs, writerCpuMs, backendCpuMs } = await commit({ reads })
    const publishing = { atMs: performance.now(), cpuMs: ownCpuMs() }
    await publish(block)
    if (round < WARM_UP_BLOCKS) continue
    result.tookMs.push(tookMs + performance.now() - publishing.atMs)
    result.writerCpuMs.push(writerCpuMs + ownCpuMs() - publishing.cpuMs)
    result.backendCpuMs.push(backendCpuMs)
  }
  await gateways.call('holds', { sequence: (await readSequences(db, [token])).get(token) ?? Number.POSITIVE_INFINITY })
  const after = await usage()
  result.gatewaysCpuMs.push((after.gateways - before.gateways) / blocks)
  result.databaseCpuMs.push((after.database - before.database) / blocks)
}
