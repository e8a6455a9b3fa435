import { hash, randomUUID } from 'node:crypto'
import { limitKey } from './clientAddress.ts'

/**
 * Clients share this many counters, so that a flood of addresses can't fill the memory. A client that shares a counter is refused early
 * only while the other client is near its limit.
 */
const BUCKETS = 2 ** 20

/** What all gateway threads count together: 16 MiB of shared memory, whose untouched pages take none. Can be sent to other threads. */
export interface AdmissionMemory {
  readonly numbers: SharedArrayBuffer
  readonly times: SharedArrayBuffer
  /** Keeps an attacker from finding an address that shares a counter with a certain client. */
  readonly seed: string
}

const SOCKETS = 0
const CONNECTIONS = 1
const OF_ADDRESSES = 2
const REQUESTS = OF_ADDRESSES + BUCKETS

export function createAdmissionMemory(): AdmissionMemory {
  return {
    numbers: new SharedArrayBuffer((REQUESTS + BUCKETS) * Int32Array.BYTES_PER_ELEMENT),
    times: new SharedArrayBuffer(BUCKETS * BigInt64Array.BYTES_PER_ELEMENT),
    seed: randomUUID(),
  }
}

/** A number that all threads change. */
export class SharedCount {
  readonly #numbers: Int32Array
  readonly #index: number

  constructor(numbers: Int32Array, index: number) {
    this.#numbers = numbers
    this.#index = index
  }

  /** @returns the number after the change */
  add(difference: number): number {
    return Atomics.add(this.#numbers, this.#index, difference) + difference
  }
}

/** Counts over all gateway threads of the process. */
export interface AdmissionCounts {
  /** Open sockets of clients. */
  readonly sockets: SharedCount
  /** Open WebSockets and event streams. */
  readonly connections: SharedCount
  /** The same for one client's address. */
  connectionsOf(address: string): SharedCount
  /**
   * Counts a request of the address in a window that begins with its first one.
   *
   * @returns the requests of the window, and when it ends
   */
  request(address: string, nowMs: number, windowMs: number): { readonly count: number; readonly endsAtMs: number }
}

/** The counts in this memory. Each thread opens it for itself. */
export function openAdmissionCounts({ numbers, times, seed }: AdmissionMemory): AdmissionCounts {
  const counts = new Int32Array(numbers)
  const ends = new BigInt64Array(times)
  const countAt = (index: number) => new SharedCount(counts, index)
  const bucketOf = (address: string) => hash('sha1', seed + limitKey(address), 'buffer').readUInt32BE(0) % BUCKETS
  return {
    sockets: countAt(SOCKETS),
    connections: countAt(CONNECTIONS),
    connectionsOf: address => countAt(OF_ADDRESSES + bucketOf(address)),
    request: (address, nowMs, windowMs) => {
      const bucket = bucketOf(address)
      const end = Atomics.load(ends, bucket)
      // Only one thread begins a new window. A request that another thread counts in this instant may be forgotten.
      if (nowMs >= Number(end) && Atomics.compareExchange(ends, bucket, end, BigInt(Math.floor(nowMs + windowMs))) === end)
        Atomics.store(counts, REQUESTS + bucket, 0)
      return { count: Atomics.add(counts, REQUESTS + bucket, 1) + 1, endsAtMs: Number(Atomics.load(ends, bucket)) }
    },
  }
}
