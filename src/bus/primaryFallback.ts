import type { CompiledQuery, DatabaseConnection, QueryExecutor } from 'kysely'
import { causes, codeOf } from '#store/connection/databaseErrors.ts'
import type { Queryable } from '#store/connection/queryable.ts'

/**
 * Reads from a replica. A statement runs on the primary when its connection leads to a server that is behind, as one of several replicas
 * behind one address may be, and when the replica cancels it, because what it replays conflicts with it.
 *
 * @param isCurrent whether the server of a connection shows what the statement may have to show
 */
export function primaryFallback(
  replica: Queryable,
  primary: Queryable,
  isCurrent: (connection: DatabaseConnection, db: Queryable) => Promise<boolean>,
): Queryable {
  return {
    getExecutor: () => {
      const executor = replica.getExecutor()
      const executeQuery: QueryExecutor['executeQuery'] = async <Row>(query: CompiledQuery<Row>) => {
        try {
          const answer = await executor.provideConnection(async connection => {
            const same = executor.withConnectionProvider({ provideConnection: consumer => consumer(connection) })
            return (await isCurrent(connection, { getExecutor: () => same })) ? await same.executeQuery(query) : null
          })
          if (answer !== null) return answer
        } catch (error) {
          if (!isCancelled(error)) throw error
        }
        return primary.getExecutor().executeQuery(query)
      }
      return new Proxy(executor, {
        get: (target, name) => {
          const member: unknown = name === 'executeQuery' ? executeQuery : Reflect.get(target, name, target)
          return typeof member === 'function' ? member.bind(target) : member
        },
      })
    },
  }
}

/** "canceling statement due to conflict with recovery". A statement that only reads fails with this code for nothing else. */
function isCancelled(error: unknown): boolean {
  return causes(error).some(link => codeOf(link) === '40001')
}
