import { type RawBuilder, sql } from 'kysely'

/**
 * A parameter of a prepared statement whose value the planner does not see, so that PostgreSQL keeps the generic plan: a plan for a known
 * value never seems cheaper. Otherwise it may plan the statement at each run, and one that looks up a few rows takes longer to plan than
 * to run.
 *
 * @param type a name of a type, such as `bytea[]`
 */
export function parameter(value: unknown, type: string): RawBuilder<unknown> {
  return sql`(select ${value}::${sql.raw(type)})`
}
