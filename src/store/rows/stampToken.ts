import { sql } from 'kysely'

/** What a commit sets on each token that it changes, for `update token set …`. `token` is the table's name in the statement. */
export function stampToken(committedAtMs: number, token: 'token' | 'current' = 'token') {
  return sql`sequence = greatest(${sql.ref(`${token}.sequence`)} + 1, ${committedAtMs}), updated_at_ms = ${committedAtMs}`
}
