import type { BlockSink } from '#indexer/ports.ts'

/** A sink that knows whether its caller knows what is in the database. */
export interface SettlingSink {
  readonly sink: BlockSink
  /** No commit or swap is under way, and the last one was answered: the indexer has emitted, or is emitting, all that it has committed. */
  isSettled(): boolean
}

/**
 * Who waits for an index must not go by the database alone: a commit is seen there before its answer comes, and one whose answer was lost is
 * asked for again. To stop in between is to stop an update on its way, which a service that is stopped may do and a test that compares may not.
 */
export function createSettlingSink(sink: BlockSink): SettlingSink {
  let underWay = 0
  let answered = true
  const noting = async <T>(answer: Promise<T>): Promise<T> => {
    underWay++
    answered = false
    try {
      const value = await answer
      answered = true
      return value
    } finally {
      underWay--
    }
  }
  return {
    sink: {
      recentBlocks: () => sink.recentBlocks(),
      commit: batch => noting(sink.commit(batch)),
      swap: replacement => noting(sink.swap(replacement)),
    },
    isSettled: () => underWay === 0 && answered,
  }
}
