import type { ReturningCalls } from '#benchmarks/load/returningClients.ts'
import { monotonicMs } from '#benchmarks/support/monotonic.ts'
import { quantile } from '#benchmarks/support/quantile.ts'
import { Worker } from '#benchmarks/support/worker.ts'
import { TOKENWIRE } from '../fanOut/arms.ts'
import type { Figures, Scenario } from '../fanOut/scenario.ts'
import { CLIENT_PAUSE_MS, commitFor, settled } from './outage.ts'
import { startTokenwireCluster, type TokenwireCluster } from './tokenwireCluster.ts'

interface FailoverSettings {
  readonly connections: number
  /** How long the standby has to take over. */
  readonly takeoverMs?: number
  /** How long clients have from the last commit. */
  readonly settlingMs?: number
}

const EVERY_MS = 100
const WARM_UP_MS = 1_000
const BEFORE_MS = 2_000

/** The indexer is killed, and its standby takes over. */
export function failover({ connections, takeoverMs = 30_000, settlingMs = 10_000 }: FailoverSettings): Scenario {
  return {
    name: `failover to a standby, ${connections} clients`,
    about: `kill -9 of the indexer while 10 tokens change every ${EVERY_MS} ms; the longest time between two updates at each of ${connections} clients of one gateway`,
    arms: [TOKENWIRE],
    base: TOKENWIRE,
    figures: [
      { name: 'longest time between updates before', unit: 'ms', better: 'less' },
      { name: 'last update of the old writer to first of the new, p50', unit: 'ms', better: 'less' },
      { name: 'p99', unit: 'ms', better: 'less' },
      { name: 'clients with the newest state, percent', unit: '', better: 'more' },
    ],
    goals: [{ figure: 'clients with the newest state, percent', of: TOKENWIRE.name, to: null, ratio: 100 }],
    measure: async () => {
      const cluster = await startTokenwireCluster({ gateways: 1, standby: true })
      const clients = Worker.start<ReturningCalls>(new URL('../../load/returningProcess.ts', import.meta.url))
      try {
        return await killIndexer(cluster, clients, { connections, takeoverMs, settlingMs })
      } finally {
        await clients.stop()
        await cluster.stop()
      }
    },
  }
}

async function killIndexer(
  cluster: TokenwireCluster,
  clients: Worker<ReturningCalls>,
  { connections, takeoverMs, settlingMs }: Required<FailoverSettings>,
): Promise<Figures> {
  const { protocol, ports, tokens } = cluster
  await clients.call('open', { protocol, ports, tokens, connections, server: 0, pauseMs: CLIENT_PAUSE_MS })
  await commitFor(cluster, WARM_UP_MS, EVERY_MS)
  await clients.call('begin', null)
  await commitFor(cluster, BEFORE_MS, EVERY_MS)
  const before = await longestGaps(clients)
  await clients.call('begin', null)
  await cluster.killIndexer()
  const deadlineMs = monotonicMs() + takeoverMs
  do {
    if (monotonicMs() > deadlineMs) throw new Error(`the standby did not take over within ${takeoverMs} ms`)
    await commitFor(cluster, EVERY_MS, EVERY_MS)
  } while (!(await cluster.hasTakenOver()))
  // The new writer's first commits.
  await commitFor(cluster, BEFORE_MS, EVERY_MS)
  const { percent } = await settled({ cluster, clients }, settlingMs)
  const gaps = await longestGaps(clients)
  return {
    'longest time between updates before': quantile(before, 1),
    'last update of the old writer to first of the new, p50': quantile(gaps, 0.5),
    p99: quantile(gaps, 0.99),
    'clients with the newest state, percent': percent,
  }
}

async function longestGaps(clients: Worker<ReturningCalls>): Promise<readonly number[]> {
  const report = await clients.call('report', null)
  return report.clients.map(({ longestGapMs }) => longestGapMs).toSorted((a, b) => a - b)
}
