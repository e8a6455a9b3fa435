import { sql } from 'kysely'
import type { Queryable } from '#store/connection/queryable.ts'
import type { LeadingColumn } from '#store/views/view.ts'

/** The keys from `from`, inclusive, to `to`, exclusive, as SQL. `null`: there is no bound. */
export interface KeyRange {
  readonly from: string | null
  readonly to: string | null
}

/** The text of the rows is two to four times as large. */
const TABLE_BYTES_PER_RANGE = 4 * 2 ** 20

export const ALL_KEYS: KeyRange = { from: null, to: null }

/** Splits all values of a column into ranges, in order, each of about the same part of the table. */
export async function readKeyRanges(db: Queryable, { table, column, holds }: LeadingColumn): Promise<readonly KeyRange[]> {
  const { rows } = await sql<{ readonly bytes: number; readonly first: string | null; readonly last: string | null }>`
    select pg_relation_size(${table}::regclass) as bytes, min(${sql.ref(column)})::text as first, max(${sql.ref(column)})::text as last
    from ${sql.table(table)}`.execute(db)
  const [found] = rows
  if (found === undefined || found.first === null || found.last === null) return [ALL_KEYS]
  const count = Math.ceil(found.bytes / TABLE_BYTES_PER_RANGE)
  if (holds === 'address') return addressRanges(count)
  return keyRanges({ first: Number(found.first), last: Number(found.last), count, toSql: String })
}

/** Addresses are hashes: as many begin with one number as with another. */
export function addressRanges(count: number): readonly KeyRange[] {
  return keyRanges({ first: 0, last: 0xffff, count, toSql: prefix => `'\\x${prefix.toString(16).padStart(4, '0')}'::bytea` })
}

interface Keys {
  readonly first: number
  readonly last: number
  /** How many ranges are wanted. Fewer keys give fewer ranges. */
  readonly count: number
  readonly toSql: (key: number) => string
}

/** Splits keys into ranges of equal size. The first and the last range have no outer bound, so that no key is outside. */
export function keyRanges({ first, last, count, toSql }: Keys): readonly KeyRange[] {
  const keys = last - first + 1
  const wanted = Math.max(1, Math.min(count, keys))
  const bounds = Array.from({ length: wanted - 1 }, (_, index) => toSql(first + Math.floor(((index + 1) * keys) / wanted)))
  return [null, ...bounds].map((from, index) => ({ from, to: bounds[index] ?? null }))
}
