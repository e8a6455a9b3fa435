import type { Load, Receipts } from '#benchmarks/load/load.ts'
import { monotonicMs } from '#benchmarks/support/monotonic.ts'

export interface ExpectedArrivals {
  readonly connections: number
  /** Updates of the block at each connection. */
  readonly tokens: number
  readonly timeoutMs: number
}

export interface Arrivals {
  /** Of the block's first and last update at any connection, on the machine's monotonic clock. */
  readonly firstAtMs: number
  readonly lastAtMs: number
  /** Processor time of the clients since `begin`. */
  readonly cpuMs: number
}

/**
 * Waits until every connection has every update of one block. All of them have the block's sequence, and updates of anything else may come
 * between them.
 *
 * @throws `Error` when one is missing after the time limit, or came twice
 */
export async function countArrivals(
  load: Pick<Load, 'wait' | 'receipts'>,
  { connections, tokens, timeoutMs }: ExpectedArrivals,
): Promise<Arrivals> {
  const due = connections * tokens
  const deadlineMs = monotonicMs() + timeoutMs
  for (let awaited = due; ; ) {
    const { receipts: came, cpuMs } = await load.wait(awaited, Math.max(0, deadlineMs - monotonicMs()))
    const receipts = await load.receipts()
    const block = ofMostFrequentSequence(receipts)
    if (block.length >= due) return { ...timesOf(receipts, block, { connections, tokens }), cpuMs }
    if (monotonicMs() > deadlineMs) throw new Error(`${due} updates of a block were due, ${block.length} came`)
    awaited = Math.max(came, receipts.count) + due - block.length
  }
}

/** The indexes of those receipts. */
function ofMostFrequentSequence(receipts: Receipts): readonly number[] {
  const indexes = Map.groupBy(Array.from({ length: receipts.count }).keys(), index => receipts.sequence(index))
  return [...indexes.values()].reduce((most, other) => (other.length > most.length ? other : most), [] as number[])
}

function timesOf(receipts: Receipts, block: readonly number[], expected: Omit<ExpectedArrivals, 'timeoutMs'>): Omit<Arrivals, 'cpuMs'> {
  const perConnection = Map.groupBy(block, index => receipts.connection(index))
  for (const [connection, indexes] of perConnection) {
    const hashes = new Set(indexes.map(index => receipts.hash(index)))
    // Hashes of 0 were not asked for.
    const isRepeated = hashes.size < indexes.length && !hashes.has(0)
    if (indexes.length !== expected.tokens || isRepeated) throw new Error(`connection ${connection} got an update twice`)
  }
  if (perConnection.size !== expected.connections) throw new Error('a connection got nothing')
  const times = block.map(index => receipts.atMs(index)).toSorted((a, b) => a - b)
  return { firstAtMs: times[0] ?? 0, lastAtMs: times.at(-1) ?? 0 }
}
