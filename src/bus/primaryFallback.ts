import type { CompiledQuery, QueryExecutor } from 'kysely'
import { causes, codeOf } from '#store/connection/databaseErrors.ts'
import type { Queryable } from '#store/connection/queryable.ts'

/**
 * Reads from a replica. A statement that the replica cancels, because what it replays conflicts with it, is run on the primary: there it
 * can't be cancelled for that.
 */
export function primaryFallback(replica: Queryable, primary: Queryable): Queryable {
  return {
    getExecutor: () => {
      const executor = replica.getExecutor()
      const executeQuery: QueryExecutor['executeQuery'] = async <Row>(query: CompiledQuery<Row>) => {
        try {
          return await executor.executeQuery(query)
        } catch (error) {
          if (isCancelled(error)) return primary.getExecutor().executeQuery(query)
          throw error
        }
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
