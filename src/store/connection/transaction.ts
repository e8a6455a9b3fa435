import type { MikroORM } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Queryable } from './queryable.ts'

/** Runs work in one transaction: committed when it resolves, rolled back when it rejects. */
export type Transaction = <T>(work: (db: Queryable) => Promise<T>) => Promise<T>

/**
 * Transactions over the ORM's pool. When the connection is lost during the commit, the outcome is unknown. The connection always goes back
 * to the pool. With `em.transactional`, a connection whose `begin` or `rollback` fails would be lost to the pool, until the pool is empty.
 *
 * @throws what the work or the commit threw
 */
export function createTransaction(orm: Pick<MikroORM, 'em'>): Transaction {
  return work =>
    orm.em
      .getKysely<unknown>()
      .connection()
      .execute(async connection => {
        await sql`begin`.execute(connection)
        try {
          const result = await work(connection)
          await sql`commit`.execute(connection)
          return result
        } catch (error) {
          // If the rollback fails, the connection is lost, and the server rolls back.
          await sql`rollback`.execute(connection).catch(() => undefined)
          throw error
        }
      })
}

/** Runs the transactions of all callers one after the other, so that a commit's result is emitted before the next commit begins. */
export function oneAtATime(transaction: Transaction): Transaction {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const mine = last.then(() => transaction(work))
    last = mine.catch(() => undefined)
    return mine
  }
}
