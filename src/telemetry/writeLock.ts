import type { DestinationStream } from 'pino'

/** A lock that threads share, so that only one of them writes to standard output at a time. */
export type WriteLock = SharedArrayBuffer

/** Shared memory: give it to every thread that writes. */
export function createWriteLock(): WriteLock {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
}

/** A thread may have been terminated in the middle of its line: after this long the others write without the lock. */
const MAX_HELD_MS = 1_000

/** A pipe that is nearly full takes a line of more than 4 KiB in parts, between which other threads could write. */
export function withWriteLock(destination: DestinationStream, lock: WriteLock): DestinationStream {
  const held = new Int32Array(lock)
  const acquire = () => {
    while (Atomics.compareExchange(held, 0, 0, 1) === 1) if (Atomics.wait(held, 0, 1, MAX_HELD_MS) === 'timed-out') return
  }
  return {
    write: line => {
      acquire()
      try {
        destination.write(line)
      } finally {
        Atomics.store(held, 0, 0)
        Atomics.notify(held, 0, 1)
      }
    },
  }
}
