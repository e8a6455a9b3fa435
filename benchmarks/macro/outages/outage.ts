import { setTimeout as pause } from 'node:timers/promises'
import type { Recovery, ReturningCalls } from '#benchmarks/load/returningClients.ts'
import { monotonicMs } from '#benchmarks/support/monotonic.ts'
import { Worker } from '#benchmarks/support/worker.ts'
import { type ArmKind, SOCKET_IO, TOKENWIRE, UWS_SEND } from '../fanOut/arms.ts'
import type { Figures, Scenario } from '../fanOut/scenario.ts'
import { startPeerCluster } from './peerCluster.ts'
import type { ServedCluster } from './servedCluster.ts'
import { startTokenwireCluster } from './tokenwireCluster.ts'

/** The first pause of the client library is random up to this bound. */
export const CLIENT_PAUSE_MS = 500

const LOOK_EVERY_MS = 200

/** A cluster with its clients. */
export interface Outage {
  readonly cluster: ServedCluster
  readonly clients: Worker<ReturningCalls>
}

export interface Settled {
  /** The share of clients with the newest state of their token. */
  readonly percent: number
  readonly recoveries: readonly Recovery[]
}

export interface OutageScenario extends Pick<Scenario, 'name' | 'about' | 'figures'> {
  /** The figure of Tokenwire that has a limit. */
  readonly limit: { readonly figure: string; readonly ms: number }
  /** Ends with `settled`. */
  measure(outage: Outage): Promise<{ readonly settled: Settled; readonly figures: Figures }>
}

const CURRENT = 'clients with the newest state, percent'

/**
 * Clients lose their servers, and all are to have the newest state in the end. Each turn has a cluster of its own. Tokenwire has an
 * indexer, a chain and PostgreSQL; other servers get what the benchmark feeds them.
 */
export function outageScenario({ name, about, figures, limit, measure }: OutageScenario): Scenario {
  return {
    name,
    about,
    arms: [TOKENWIRE, UWS_SEND, SOCKET_IO],
    base: UWS_SEND,
    maxRounds: 2,
    figures: [{ name: CURRENT, unit: '', better: 'more' }, ...figures],
    goals: [
      { figure: CURRENT, of: TOKENWIRE.name, to: null, ratio: 100 },
      { figure: limit.figure, of: TOKENWIRE.name, to: null, ratio: limit.ms },
    ],
    measure: arm =>
      inCluster(arm, async outage => {
        const { settled, figures } = await measure(outage)
        return { [CURRENT]: settled.percent, ...figures }
      }),
  }
}

async function inCluster<T>(arm: ArmKind, measure: (outage: Outage) => Promise<T>): Promise<T> {
  const cluster = arm.server === 'tokenwire' ? await startTokenwireCluster() : await startPeerCluster(arm)
  const clients = Worker.start<ReturningCalls>(new URL('../../load/returningProcess.ts', import.meta.url))
  try {
    return await measure({ cluster, clients })
  } finally {
    await clients.stop()
    await cluster.stop()
  }
}

/** Commits at fixed times as far as the machine keeps up, until the time is over. */
export async function commitFor(cluster: Pick<ServedCluster, 'commit'>, forMs: number, everyMs: number): Promise<void> {
  const begunAtMs = monotonicMs()
  for (let dueAtMs = begunAtMs; dueAtMs < begunAtMs + forMs; dueAtMs = Math.max(dueAtMs + everyMs, monotonicMs())) {
    await pause(Math.max(0, dueAtMs - monotonicMs()))
    await cluster.commit()
  }
}

/** Waits until all clients have the newest state, or the time is up. */
export async function settled({ cluster, clients }: Outage, limitMs: number): Promise<Settled> {
  const newest = await cluster.newest()
  const deadlineMs = monotonicMs() + limitMs
  for (;;) {
    const { clients: each, recoveries } = await clients.call('report', null)
    const current = each.filter(({ token, sequence }) => sequence === newest[token])
    const percent = (current.length * 100) / each.length
    if (percent === 100 || monotonicMs() > deadlineMs) return { percent, recoveries }
    await pause(LOOK_EVERY_MS)
  }
}
