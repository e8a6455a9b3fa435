import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import { to } from 'pg-copy-streams'
import type { Logger } from 'pino'
import type { Hex } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import { createOrm, type RawConnection } from '#store/connection/orm.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { createTransaction } from '#store/connection/transaction.ts'

export interface CopySource {
  readonly url: string
  readonly isReplica: boolean
  readonly logger: Logger
}

/** The block that an export is true for. */
export interface ExportedBlock {
  readonly number: number
  readonly hash: Hex
}

type CopyingConnection = RawConnection & { query(copy: Readable): unknown }

/**
 * Copies rows out of one snapshot of the database. The statement has no time limit, and memory is bounded by what the receiver takes.
 *
 * @param receive gets the bytes, and the block of the snapshot; when it rejects, the copy ends
 * @returns the block and the number of rows
 * @throws `TokenwireError` as `requireDatabase`; `config_invalid` when nothing is indexed
 */
export async function copyOut(
  { url, isReplica, logger }: CopySource,
  statement: string,
  receive: (bytes: Readable, block: ExportedBlock) => Promise<void>,
): Promise<{ readonly block: ExportedBlock; readonly rows: number }> {
  const checked = createOrm(url, logger, { poolSize: 2, applicationName: 'tokenwire-export', isStandbyWanted: isReplica })
  try {
    await requireDatabase(checked.em.getKysely(), { url, use: isReplica ? 'replica' : 'serve', logger })
  } finally {
    await checked.close(true)
  }
  let connection: CopyingConnection | null = null
  const orm = createOrm(url, logger, {
    poolSize: 1,
    applicationName: 'tokenwire-export',
    isStandbyWanted: isReplica,
    statementTimeoutMs: 0,
    onConnection: opened => (connection = opened as CopyingConnection),
  })
  try {
    return await createTransaction(orm)(async db => {
      await sql`set transaction isolation level repeatable read, read only`.execute(db)
      // What the rows cost to write is not in the planner's estimate: it would keep all of it to one process.
      await sql`set local parallel_setup_cost = 0`.execute(db)
      await sql`set local parallel_tuple_cost = 0`.execute(db)
      const { rows } = await sql<ExportedBlock>`
        select cursor_number as number, cursor_hash as hash from chain_state where cursor_hash is not null`.execute(db)
      const [block] = rows
      if (block === undefined || connection === null) throw new TokenwireError('config_invalid', 'The database has no index yet.')
      const copy = to(statement)
      // Its receiver sees an error; once that has gone, the end of the connection is one, too.
      copy.on('error', () => undefined)
      connection.query(copy)
      try {
        await receive(copy, block)
      } catch (error) {
        // Otherwise the connection would have to read the rest before it can do anything else.
        connection.connection.stream.destroy()
        throw error
      }
      return { block, rows: copy.rowCount }
    })
  } finally {
    await orm.close(true)
  }
}
