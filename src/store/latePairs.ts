import { sql } from 'kysely'
import type { Queryable } from './connection/queryable.ts'

/*
 * Market-data sites ask for a range of blocks once, and the same range has to have the same answer for ever. So a pair that comes into the
 * index with events in blocks that sites were answered is marked as late, and all of it is shown under a base path of its own.
 */

/** Notes the pairs of launchpads that leave, of which some may come back in the same transaction. */
export async function noteLeavingPairs(db: Queryable, leaving: readonly string[]): Promise<void> {
  await sql`create temporary table known_pair on commit drop as
    select address as pool from pool where launchpad = any(${[...leaving]}::text[])`.execute(db)
}

/**
 * Marks the pairs that have come and were not in the index before, and drops the marks of those that are gone. After `noteLeavingPairs`.
 *
 * @param joining the schema that has the pairs that have come; `null`: none have
 * @param final the newest block that sites were shown before
 */
export async function markLatePairs(db: Queryable, joining: string | null, final: number): Promise<void> {
  await sql`delete from late_pair using known_pair where late_pair.pool = known_pair.pool
    and not exists (select from pool_creation where pool_creation.pool = late_pair.pool)`.execute(db)
  if (joining === null) return
  await sql`insert into late_pair (pool, joined_block)
    select pool, greatest(${final + 1}::bigint, (select max(joined_block) + 1 from late_pair)) from ${sql.id(joining, 'pool_creation')} as come
    where block_number <= ${final} and not exists (select from known_pair where known_pair.pool = come.pool)
    on conflict (pool) do nothing`.execute(db)
}

/** What is late in one schema's index is late in the one that is served in its place, and so are old pairs that only this one has. */
export async function carryLatePairs(db: Queryable, { from, to }: { readonly from: string; readonly to: string }): Promise<void> {
  const marks = sql.id(to, 'late_pair')
  const created = sql.id(to, 'pool_creation')
  await sql`delete from ${marks}`.execute(db)
  const { rows } = await sql`select from pg_tables where schemaname = ${from} and tablename = 'late_pair'`.execute(db)
  if (rows.length > 0) {
    await sql`insert into ${marks} select old.* from ${sql.id(from, 'late_pair')} as old join ${created} using (pool)`.execute(db)
  }
  await sql`insert into ${marks} (pool, joined_block)
    select pool, greatest(final + 1, (select max(joined_block) + 1 from ${marks}))
    from ${created} as come cross join (select coalesce(undo_from - 1, cursor_number) as final from ${sql.id(from, 'chain_state')}) as old
    where block_number <= final and not exists (select from ${sql.id(from, 'pool_creation')} as known where known.pool = come.pool)
    on conflict (pool) do nothing`.execute(db)
}

/** A join that brought late pairs. */
export interface LateJoin {
  /** Names it in the base path of its pairs. */
  readonly block: number
  /** Whose pairs it brought. */
  readonly launchpads: readonly string[]
}

/** Oldest first. */
export async function readLateJoins(db: Queryable): Promise<readonly LateJoin[]> {
  const { rows } = await sql<LateJoin>`
    select joined_block as block, array_agg(distinct pool.launchpad order by pool.launchpad) as launchpads
    from late_pair join pool on pool.address = late_pair.pool group by joined_block order by joined_block`.execute(db)
  return rows
}
