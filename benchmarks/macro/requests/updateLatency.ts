import { once } from 'node:events'
import { WebSocket } from 'ws'
import { quantile } from '#benchmarks/support/quantile.ts'

export interface UpdateLatency {
  readonly updates: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Measures from the commit's time to a client's receipt, both on the machine's clock, while `during` runs. */
export async function measureUpdates(url: string, tokens: readonly string[], during: () => Promise<void>): Promise<UpdateLatency> {
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
  const sorted = latencies.toSorted((a, b) => a - b)
  return { updates: sorted.length, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
}
