import { monotonicMs } from '#benchmarks/support/monotonic.ts'
import { quantile } from '#benchmarks/support/quantile.ts'
import type { Scenario } from '../fanOut/scenario.ts'
import { CLIENT_PAUSE_MS, commitFor, outageScenario, settled } from './outage.ts'

interface AvalancheSettings {
  readonly connections: number
  /** How long blocks are committed after the kill. */
  readonly committingMs?: number
  /** How long clients have from the last commit. */
  readonly settlingMs?: number
}

/** Clients of the second server, which stay. */
const STEADY = 50
const EVERY_MS = 250

/** A server is killed, and all of its clients come to the other one. */
export function avalanche({ connections, committingMs = 2_000, settlingMs = 10_000 }: AvalancheSettings): Scenario {
  return outageScenario({
    name: `an avalanche of ${connections} clients`,
    about: `kill -9 of one of two servers with ${connections} clients of 10 tokens, which return to the other one with the client library's pauses; every token changes each ${EVERY_MS} ms until ${committingMs} ms after the kill`,
    figures: [
      { name: 'kill to newest state, p50', unit: 'ms', better: 'less' },
      { name: 'p99', unit: 'ms', better: 'less' },
      { name: 'beyond the own pauses, p50', unit: 'ms', better: 'less' },
      { name: 'beyond the own pauses, p99', unit: 'ms', better: 'less' },
    ],
    limit: { figure: 'beyond the own pauses, p99', ms: 3_000 },
    measure: async ({ cluster, clients }) => {
      const { protocol, ports, tokens } = cluster
      const common = { protocol, ports, tokens, pauseMs: CLIENT_PAUSE_MS }
      await clients.call('open', { ...common, connections: STEADY, server: 1 })
      await clients.call('open', { ...common, connections, server: 0 })
      await commitFor(cluster, 1_000, EVERY_MS)
      const killedAtMs = monotonicMs()
      await cluster.killFirst()
      await commitFor(cluster, committingMs, EVERY_MS)
      const end = await settled({ cluster, clients }, settlingMs)
      const sinceKill = end.recoveries.map(({ currentAtMs }) => currentAtMs - killedAtMs).toSorted((a, b) => a - b)
      const beyond = end.recoveries.map(of => of.currentAtMs - killedAtMs - of.pausedMs).toSorted((a, b) => a - b)
      return {
        settled: end,
        figures: {
          'kill to newest state, p50': quantile(sinceKill, 0.5),
          p99: quantile(sinceKill, 0.99),
          'beyond the own pauses, p50': quantile(beyond, 0.5),
          'beyond the own pauses, p99': quantile(beyond, 0.99),
        },
      }
    },
  })
}
