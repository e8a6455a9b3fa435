import { type RawBuilder, sql } from 'kysely'

/**
 * A parameter of a prepared statement whose value the planner does not see. It estimates every value and every length of an array alike, so
 * that the generic plan seems as cheap as one for the value, and is kept. Otherwise it may plan the statement anew at each run: one that
 * looks up a few rows takes longer to plan than to run.
 *
 * @param type a name of a type, such as `bytea[]`
 */
export function parameter(value: unknown, type: string): RawBuilder<unknown> {
  return sql`(select ${value}::${sql.raw(type)})`
}
