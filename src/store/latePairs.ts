import { sql } from 'kysely'
import { hasTable } from './connection/databaseSchema.ts'
import type { Queryable } from './connection/queryable.ts'

/*
 * Market-data sites read each range of blocks once, and the same range must have the same answer for ever. So a pair that joins the index
 * with events in blocks that sites may have read is marked as late. All of its events are shown under another base path.
 */

/** Notes the pairs of leaving launchpads in `known_pair`. Some may join again in the same transaction. */
export async function noteLeavingPairs(db: Queryable, leaving: readonly string[]): Promise<void> {
  await sql`create temporary table known_pair on commit drop as
    select address as pool from pool where launchpad = any(${[...leaving]}::text[])`.execute(db)
}

/**
 * Marks the pairs that have joined and were not in the index before, and removes the marks of pairs that have left. Runs after
 * `noteLeavingPairs`.
 *
 * @param joining the schema of the pairs that have joined; `null`: none have
 * @param final the newest block that sites could read before
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

/** Copies the marks to the index that takes the served one's place, and marks the old pairs that only the new index has. */
export async function carryLatePairs(db: Queryable, { from, to }: { readonly from: string; readonly to: string }): Promise<void> {
  const marks = sql.id(to, 'late_pair')
  const created = sql.id(to, 'pool_creation')
  await sql`delete from ${marks}`.execute(db)
  if (await hasTable(db, from, 'late_pair')) {
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
  /** The block in the base path of its pairs. */
  readonly block: number
  /** The launchpads of its pairs. */
  readonly launchpads: readonly string[]
}

/** The joins, oldest first. */
export async function readLateJoins(db: Queryable): Promise<readonly LateJoin[]> {
  const { rows } = await sql<LateJoin>`
    select joined_block as block, array_agg(distinct pool.launchpad order by pool.launchpad) as launchpads
    from late_pair join pool on pool.address = late_pair.pool group by joined_block order by joined_block`.execute(db)
  return rows
}
