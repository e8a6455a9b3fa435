import type { DestinationStream } from 'pino'

/** What threads share to write lines in turns, one of them at a time. */
export type Turns = SharedArrayBuffer

export function createTurns(): Turns {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
}

/** A thread may have been ended in the middle of its line: after so long the others go on without it. */
const LONGEST_TURN_MS = 1_000

/**
 * Keeps the lines whole that several threads write to one place: a pipe that is nearly full takes a line of more than 4 KiB in parts, and
 * would take others between them.
 */
export function inTurns(destination: DestinationStream, turns: Turns): DestinationStream {
  const taken = new Int32Array(turns)
  const take = () => {
    while (Atomics.compareExchange(taken, 0, 0, 1) === 1) if (Atomics.wait(taken, 0, 1, LONGEST_TURN_MS) === 'timed-out') return
  }
  return {
    write: line => {
      take()
      try {
        destination.write(line)
      } finally {
        Atomics.store(taken, 0, 0)
        Atomics.notify(taken, 0, 1)
      }
    },
  }
}
