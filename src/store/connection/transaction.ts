import type { MikroORM } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Queryable } from './queryable.ts'

/**
 * Runs work in one transaction: committed when it resolves, rolled back when it rejects, and of unknown outcome when the connection is lost
 * in the commit. Whatever happens, the connection goes back to the pool, which is why this is not left to `em.transactional`: there a
 * `begin` or `rollback` that fails keeps its connection, and the pool has none left after as many losses as it holds.
 *
 * @throws what the work or the commit threw
 */
export function createTransaction(orm: Pick<MikroORM, 'em'>): <T>(work: (db: Queryable) => Promise<T>) => Promise<T> {
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
          // Without its connection the server rolls back by itself; that this failed, too, tells nothing more.
          await sql`rollback`.execute(connection).catch(() => undefined)
          throw error
        }
      })
}
