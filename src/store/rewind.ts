import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import type { BlockHeader } from '#domain/block.ts'
import { TokenwireError } from '#errors'
import { BLOCK_TABLES } from '#tables/entities.ts'
import { toStartError } from './connection/databaseErrors.ts'
import type { Queryable } from './connection/databaseSchema.ts'
import { createOrm } from './connection/orm.ts'
import { requireDatabase } from './connection/requireDatabase.ts'
import { describeHolder, LOCKS, takeLock } from './connection/sessionLock.ts'
import { createTransaction } from './connection/transaction.ts'
import { announceCommit } from './rows/announcement.ts'
import { type ChainCursor, clearCursor, lockAsWriter, moveCursor, readClockMs, readRecentBlocks } from './rows/cursor.ts'
import { dropAllTokens, undoBlocks } from './rows/undo.ts'
import { dropSideSchema, readSideProgress } from './switchSchema.ts'

/** The first block to undo; `start`: all blocks. */
export type RewindTarget = number | 'start'

/**
 * Undoes indexed blocks whose data is wrong, and earlier blocks of the same commit, so that the service indexes them again. No token's
 * sequence falls.
 *
 * @returns the newest block that is still indexed; `null`: none is
 * @throws `TokenwireError` `database_taken` while a service indexes into the database, `reorg_too_deep` for a block whose before-images are
 *   gone, `config_invalid` behind a pooler in transaction mode, `database_unavailable`
 */
export async function rewind(databaseUrl: string, target: RewindTarget, logger: Logger): Promise<BlockHeader | null> {
  const orm = createOrm(databaseUrl, logger, { poolSize: 2, applicationName: 'tokenwire-rewind', statementTimeoutMs: 0 })
  const pool = orm.em.getKysely<unknown>()
  try {
    await requireDatabase(pool, { url: databaseUrl, use: 'index', logger })
    return await pool.connection().execute(async session => {
      await assertNoWriter(session)
      const writer = randomUUID()
      await sql`update chain_state set writer = ${writer}`.execute(session)
      return createTransaction(orm)(async db => {
        const cursor = await lockAsWriter(db, writer)
        if (cursor === null) return null
        const ancestor = await (target === 'start' ? undoAll(db) : undoFrom(db, target, cursor))
        // The side index was built from the same wrong answers.
        if (((await readSideProgress(db))?.block ?? -1) > (ancestor?.number ?? -1)) await dropSideSchema(db)
        await announceCommit(db, ancestor ?? cursor, null)
        return ancestor
      })
    })
  } catch (error) {
    throw toStartError(error, { url: databaseUrl, setting: 'DATABASE_URL' })
  } finally {
    await orm.close(true)
  }
}

async function assertNoWriter(session: Kysely<unknown>): Promise<void> {
  const holder = await takeLock(session, LOCKS.writer)
  if (holder === null) return
  throw new TokenwireError('database_taken', `A Tokenwire indexes into this database: stop it first (${describeHolder(holder)})`)
}

async function undoFrom(db: Queryable, first: number, cursor: ChainCursor): Promise<BlockHeader> {
  if (first > cursor.number) return (await readRecentBlocks(db, 1))[0] as BlockHeader
  const ancestors = await readAncestors(db, cursor)
  const ancestor = ancestors.findLast(({ number }) => number < first)
  if (ancestor === undefined || cursor.undoFrom === null) {
    const [oldest] = ancestors
    const possible =
      oldest === undefined ? 'No block can be undone alone' : `The oldest block to which the index can go back is ${oldest.number + 1}`
    throw new TokenwireError('reorg_too_deep', `Block ${first} can't be undone. ${possible}; start undoes all of them.`)
  }
  const committedAtMs = await readClockMs(db)
  await undoBlocks(db, ancestor.number, committedAtMs)
  await moveCursor(ancestor, committedAtMs, cursor.undoFrom > ancestor.number ? null : cursor.undoFrom).execute(db)
  return ancestor
}

/** The blocks to which the index can go back, oldest first. Blocks of one commit share their before-images. */
async function readAncestors(db: Queryable, { number, undoFrom }: ChainCursor): Promise<readonly BlockHeader[]> {
  if (undoFrom === null) return []
  const blocks = await readRecentBlocks(db, number - undoFrom + 2)
  return blocks.filter(block => block.number >= undoFrom - 1 && block.number < number && !block.mergedWithNext)
}

async function undoAll(db: Queryable): Promise<null> {
  await dropAllTokens(db, await readClockMs(db))
  await sql`truncate ${sql.join(BLOCK_TABLES.map(({ name }) => sql.table(name)))}`.execute(db)
  await clearCursor().execute(db)
  await sql`update chain_state set minutes_from = null, unfolded_from = null, value_changes_from = null`.execute(db)
  return null
}
