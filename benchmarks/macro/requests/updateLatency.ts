import { once } from 'node:events'
import { WebSocket } from 'ws'
import { quantile } from '#benchmarks/support/quantile.ts'
import { quantileRatio, type Ratio } from '#benchmarks/support/quantileRatio.ts'
import type { Load } from './wrk.ts'

export interface UpdateLatency {
  readonly load: string
  /** `null`: none is made. */
  readonly requestsPerSecond: number | null
  readonly updates: number
  /** All updates of a commit wait for the same transaction. */
  readonly commits: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  /** p99 to that of the first load. */
  readonly p99ToFirst: Ratio
}

/** Runs for the time of a turn. */
export type LoadRun = () => Promise<Load | null>

interface Turn {
  /** Of the updates of each commit. */
  readonly latencies: readonly (readonly number[])[]
  readonly load: Load | null
}

/**
 * Measures from the commit's time to a client's receipt, both on the machine's clock, while one of the loads runs. Their turns alternate,
 * every second time in reverse, so that the machine's other work falls on all of them.
 */
export async function measureUpdates(
  url: string,
  tokens: readonly string[],
  loads: Readonly<Record<string, LoadRun>>,
  turns: number,
): Promise<readonly UpdateLatency[]> {
  const names = Object.keys(loads)
  const found = new Map<string, Turn[]>(names.map(name => [name, []]))
  for (let turn = 0; turn < turns; turn++) {
    for (const name of turn % 2 === 0 ? names : names.toReversed()) found.get(name)?.push(await takeTurn(url, tokens, loads[name]))
  }
  const groups = [...found.values()].map(turns => turns.flatMap(({ latencies }) => latencies))
  return names.map((load, index) => summary(load, found.get(load) ?? [], groups[index] ?? [], groups[0] ?? []))
}

async function takeTurn(url: string, tokens: readonly string[], run: LoadRun = async () => null): Promise<Turn> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/realtime`)
  await once(socket, 'open')
  const byCommit = new Map<string, number[]>()
  const begunAtMs = Date.now()
  socket.on('message', data => {
    const receivedAtMs = Date.now()
    const { type, timestamp } = JSON.parse((data as Buffer).toString()) as { readonly type: string; readonly timestamp?: string }
    if (type !== 'token.update' || timestamp === undefined) return
    const committedAtMs = Date.parse(timestamp)
    // Snapshots are of earlier commits.
    if (committedAtMs <= begunAtMs) return
    byCommit.set(timestamp, [...(byCommit.get(timestamp) ?? []), receivedAtMs - committedAtMs])
  })
  for (const token of tokens) socket.send(JSON.stringify({ type: 'subscribe', token }))
  const load = await run()
  socket.close()
  await once(socket, 'close')
  return { latencies: [...byCommit.values()], load }
}

function summary(load: string, turns: readonly Turn[], groups: Turn['latencies'], first: Turn['latencies']): UpdateLatency {
  const sorted = groups.flat().toSorted((a, b) => a - b)
  const rates = turns.flatMap(turn => turn.load?.requestsPerSecond ?? [])
  return {
    load,
    requestsPerSecond: rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length,
    updates: sorted.length,
    commits: groups.length,
    p50Ms: quantile(sorted, 0.5),
    p90Ms: quantile(sorted, 0.9),
    p99Ms: quantile(sorted, 0.99),
    p99ToFirst: quantileRatio(groups, first, 0.99),
  }
}
