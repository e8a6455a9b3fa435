import { once } from 'node:events'
import { WebSocket } from 'ws'
import { quantile } from '#benchmarks/support/quantile.ts'

export interface UpdateLatency {
  readonly updates: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Each `during` has as many turns, one after the other, so that the machine's other work falls on all of them. */
const TURNS = 6

/** Measures from the commit's time to a client's receipt, both on the machine's clock, while one of `during` runs. */
export async function measureUpdates<Name extends string>(
  url: string,
  tokens: readonly string[],
  during: Readonly<Record<Name, () => Promise<void>>>,
): Promise<Readonly<Record<Name, UpdateLatency>>> {
  const found = new Map<string, number[]>()
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [name, work] of Object.entries<() => Promise<void>>(during))
      found.set(name, [...(found.get(name) ?? []), ...(await latenciesDuring(url, tokens, work))])
  }
  return Object.fromEntries([...found].map(([name, latencies]) => [name, summary(latencies)])) as Record<Name, UpdateLatency>
}

/** In milliseconds. */
async function latenciesDuring(url: string, tokens: readonly string[], during: () => Promise<void>): Promise<readonly number[]> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/realtime`)
  await once(socket, 'open')
  const latencies: number[] = []
  const begunAtMs = Date.now()
  socket.on('message', data => {
    const receivedAtMs = Date.now()
    const { type, timestamp } = JSON.parse((data as Buffer).toString()) as { readonly type: string; readonly timestamp?: string }
    if (type !== 'token.update' || timestamp === undefined) return
    const committedAtMs = Date.parse(timestamp)
    // Snapshots are of earlier commits.
    if (committedAtMs > begunAtMs) latencies.push(receivedAtMs - committedAtMs)
  })
  for (const token of tokens) socket.send(JSON.stringify({ type: 'subscribe', token }))
  await during()
  socket.close()
  await once(socket, 'close')
  return latencies
}

function summary(latencies: readonly number[]): UpdateLatency {
  const sorted = latencies.toSorted((a, b) => a - b)
  return { updates: sorted.length, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
}
