import type { Queryable } from './queryable.ts'

/** Runs work in one transaction: committed when it resolves, rolled back when it rejects. */
export type Transaction = <T>(work: (db: Queryable) => Promise<T>) => Promise<T>

/** Runs the transactions of all callers one after the other, so that a commit's result is emitted before the next commit begins. */
export function oneAtATime(transaction: Transaction): Transaction {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const mine = last.then(() => transaction(work))
    last = mine.catch(() => undefined)
    return mine
  }
}
