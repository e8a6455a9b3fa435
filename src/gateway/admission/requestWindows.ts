import { hash, randomUUID } from 'node:crypto'
import { limitKey } from './clientAddress.ts'

/**
 * Clients share this many counters, so that no number of addresses can fill the memory. A client that shares a counter is refused early
 * only while the other client is near its limit.
 */
const BUCKETS = 2 ** 20

/** Counts the requests of clients in windows, which begin with a client's first request. */
export interface RequestWindows {
  /** @returns the requests of the window, and when it ends */
  count(address: string, nowMs: number): { readonly count: number; readonly endsAtMs: number }
}

/** Creates counters of 12 MiB. Their pages that no client uses take no memory. */
export function createRequestWindows(windowMs: number): RequestWindows {
  const counts = new Int32Array(BUCKETS)
  const ends = new Float64Array(BUCKETS)
  /** A random part, so that an attacker can't find an address that shares a counter with a certain client. */
  const seed = randomUUID()
  const bucketOf = (address: string) => hash('sha1', seed + limitKey(address), 'buffer').readUInt32BE(0) % BUCKETS
  return {
    count: (address, nowMs) => {
      const bucket = bucketOf(address)
      const isOver = nowMs >= (ends[bucket] ?? 0)
      const count = (isOver ? 0 : (counts[bucket] ?? 0)) + 1
      const endsAtMs = isOver ? nowMs + windowMs : (ends[bucket] ?? 0)
      counts[bucket] = count
      ends[bucket] = endsAtMs
      return { count, endsAtMs }
    },
  }
}
