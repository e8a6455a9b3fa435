import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { BlockHeader } from '#domain/block.ts'
import { causes, codeOf } from '#store/connection/databaseErrors.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { clearCursor, moveCursor, readClockMs } from '#store/rows/cursor.ts'
import { deriveRows, type RestoredRows, restoreRows } from '#store/rows/undo.ts'
import { IMAGED_TABLES } from '#tables/entities.ts'

/*
 * A before-image fits the tables of the version that has kept it, and no tool knows how a migration would have changed it. So the blocks
 * that can be undone are undone before the migrations, in their transaction: what the migrations change is the index as of a block that no
 * reorg can replace. Then the new version applies the blocks that the chain has by now. To gateways and clients this is a reorg.
 */

/** What a migration may say of itself. */
export interface MigrationTraits {
  readonly name: string
  /**
   * It changes no row, and of the tables of which images are kept it changes no column, and adds only columns without a value. So images
   * stay right, and nothing is undone for it. The tool checks this.
   */
  readonly keepsImages?: true
}

/**
 * Runs migrations in the caller's transaction, so that every block that could be undone before can be replaced afterwards.
 *
 * @throws `TypeError` when migrations that all say that they keep the images do not
 */
export async function migrateUndone<T>(
  db: Queryable,
  pending: readonly MigrationTraits[],
  migrate: () => Promise<T>,
  logger: Logger,
): Promise<T> {
  // In a new schema the names of tables would be those of the index in another schema of the search path.
  const { rows: states } = await sql`select from pg_tables where schemaname = current_schema() and tablename = 'chain_state'`.execute(db)
  if (states.length === 0) return migrate()
  const cursor = await readUndoable(db)
  if (pending.every(({ keepsImages }) => keepsImages)) {
    const before = await readImagedColumns(db)
    const outcome = await migrate().catch((error: unknown) => {
      // PostgreSQL refuses some changes of a table whose row type is the type of a column.
      const isOfImages = causes(error).some(link => codeOf(link) === '0A000')
      throw isOfImages ? wrongTrait(pending, ['a table in a way that its images forbid']) : error
    })
    if (cursor !== null) await requireImagesKept(db, pending, before)
    return outcome
  }
  const committedAtMs = cursor === null ? 0 : await readClockMs(db)
  const restored = cursor === null ? null : await goBack(db, cursor, committedAtMs, logger)
  // PostgreSQL refuses some changes of a table whose row type is the type of a column.
  await dropImageColumns(db)
  const outcome = await migrate()
  await addImageColumns(db)
  if (cursor !== null && restored !== null) {
    await deriveRows(db, restored, committedAtMs)
    // Numbered, so that gateways find it at their next look: any token may have changed.
    await sql`update chain_state set commits = commits + 1`.execute(db)
  }
  return outcome
}

interface Undoable extends Pick<BlockHeader, 'number' | 'hash' | 'timestamp'> {
  /** The oldest block that can be undone. */
  readonly undoFrom: number
  /** The newest block that can't be. `null`: every block can be undone. */
  readonly ancestor: BlockHeader | null
}

/** `null`: no block can be undone. */
async function readUndoable(db: Queryable): Promise<Undoable | null> {
  const { rows } = await sql<Omit<Undoable, 'ancestor'>>`select cursor_number as number, cursor_hash as hash, cursor_timestamp as timestamp,
    undo_from as "undoFrom" from chain_state where undo_from is not null and cursor_number is not null`.execute(db)
  const [cursor] = rows
  if (cursor === undefined) return null
  // Blocks that were committed together are undone together.
  const { rows: ancestors } = await sql<BlockHeader>`select number, hash, parent_hash as "parentHash", timestamp from block
    where number < ${cursor.undoFrom} and not joined order by number desc limit 1`.execute(db)
  return { ...cursor, ancestor: ancestors[0] ?? null }
}

async function goBack(db: Queryable, { number, undoFrom, ancestor }: Undoable, atMs: number, logger: Logger): Promise<RestoredRows> {
  const from = ancestor === null ? undoFrom : ancestor.number + 1
  logger.info({ from, to: number }, 'the blocks that can be undone are undone before the migration, and applied again after it')
  const restored = await restoreRows(db, from - 1, atMs, true)
  await (ancestor === null ? clearCursor() : moveCursor(ancestor, atMs, null)).execute(db)
  return restored
}

async function dropImageColumns(db: Queryable): Promise<void> {
  const { rows } = await sql<{ name: string }>`select attname as name from pg_attribute join pg_type on pg_type.oid = atttypid
    where attrelid = to_regclass('block_undo') and attnum > 0 and not attisdropped and typtype = 'c'`.execute(db)
  if (rows.length === 0) return
  const drops = rows.map(({ name }) => sql`drop column ${sql.id(name)}`)
  await sql`alter table block_undo ${sql.join(drops)}`.execute(db)
}

async function addImageColumns(db: Queryable): Promise<void> {
  const added = IMAGED_TABLES.map(name => sql`add column if not exists ${sql.id(name)} ${sql.table(name)}`)
  await sql`alter table block_undo ${sql.join(added)}`.execute(db)
}

/** The columns of the tables of which images are kept, and whether the rows that there were have a value in a column that is added. */
async function readImagedColumns(db: Queryable): Promise<ReadonlyMap<string, boolean>> {
  const { rows } = await sql<{ name: string; filled: boolean }>`
    select format('%s.%s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod)) as name, atthasdef or attnotnull as filled
    from pg_attribute join pg_class on pg_class.oid = attrelid join pg_namespace as place on place.oid = relnamespace
    where nspname = current_schema() and relname = any(${IMAGED_TABLES}::text[]) and attnum > 0 and not attisdropped`.execute(db)
  return new Map(rows.map(({ name, filled }) => [name, filled]))
}

async function requireImagesKept(db: Queryable, pending: readonly MigrationTraits[], before: ReadonlyMap<string, boolean>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_stat_xact_user_tables where schemaname = current_schema()
    and relname <> 'mikro_orm_migrations' and n_tup_ins + n_tup_upd + n_tup_del > 0`.execute(db)
  const after = await readImagedColumns(db)
  const gone = [...before.keys()].filter(name => !after.has(name))
  const filled = [...after].filter(([name, isFilled]) => isFilled && !before.has(name)).map(([name]) => name)
  const changed = [...rows.map(({ name }) => `rows of ${name}`), ...gone, ...filled]
  if (changed.length > 0) throw wrongTrait(pending, changed)
}

function wrongTrait(pending: readonly MigrationTraits[], changed: readonly string[]): TypeError {
  const names = pending.map(({ name }) => name).join(', ')
  return new TypeError(`${names}: keepsImages is wrong, since the migration changes ${changed.join(', ')}`)
}
