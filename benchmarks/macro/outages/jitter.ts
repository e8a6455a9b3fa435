import { quantile } from '#benchmarks/support/quantile.ts'
import type { Scenario } from '../fanOut/scenario.ts'
import { commitFor, outageScenario, settled } from './outage.ts'

interface JitterSettings {
  readonly connections: number
  readonly forMs?: number
  /** How long clients have from the last commit. */
  readonly settlingMs?: number
}

/** Clients that are never cut. */
const STEADY = 50
const EVERY_MS = 500
const CUT_EVERY_MS = 100
/** A client is cut every five seconds on average. */
const CUT_SHARE = 0.02
/** Clients are away for a second on average. */
const PAUSE_MS = 2_000

/** Clients are cut and return all the time. */
export function jitter({ connections, forMs = 15_000, settlingMs = 5_000 }: JitterSettings): Scenario {
  return outageScenario({
    name: `jitter of ${connections} clients`,
    about: `${connections} clients of 10 tokens at two servers, each cut every five seconds and away for up to ${PAUSE_MS} ms, during ${forMs} ms in which every token changes each ${EVERY_MS} ms; then no token changes`,
    figures: [
      { name: 'returns', unit: '', better: 'more' },
      { name: 'return to newest state, p50', unit: 'ms', better: 'less' },
      { name: 'p99', unit: 'ms', better: 'less' },
    ],
    limit: { figure: 'p99', ms: 1_000 },
    measure: async ({ cluster, clients }) => {
      const { protocol, ports, tokens } = cluster
      const common = { protocol, ports, tokens, server: null, pauseMs: PAUSE_MS }
      await clients.call('open', { ...common, connections: STEADY })
      await clients.call('open', { ...common, connections })
      await commitFor(cluster, EVERY_MS, EVERY_MS)
      const cutting = clients.call('cut', { first: STEADY, share: CUT_SHARE, everyMs: CUT_EVERY_MS, forMs })
      await Promise.all([cutting, commitFor(cluster, forMs, EVERY_MS)])
      const end = await settled({ cluster, clients }, settlingMs)
      const times = end.recoveries.map(({ lostAtMs, pausedMs, currentAtMs }) => currentAtMs - lostAtMs - pausedMs).toSorted((a, b) => a - b)
      return {
        settled: end,
        figures: { returns: times.length, 'return to newest state, p50': quantile(times, 0.5), p99: quantile(times, 0.99) },
      }
    },
  })
}
