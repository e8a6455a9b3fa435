import type { Queryable } from './queryable.ts'

/** Runs the work in one transaction: committed when it resolves, rolled back when it rejects. */
export type Transaction = <T>(work: (db: Queryable) => Promise<T>) => Promise<T>

/**
 * One commit in flight, whoever commits: what is told of a commit is told before the next one begins. At most one waits per caller that waits for
 * its answers.
 */
export function oneAtATime(transaction: Transaction): Transaction {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const mine = last.then(() => transaction(work))
    last = mine.catch(() => undefined)
    return mine
  }
}
