import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import { to } from 'pg-copy-streams'
import type { Logger } from 'pino'
import { createOrm, type RawConnection } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { createTransaction } from '#store/connection/transaction.ts'

export interface CopySource {
  readonly url: string
  readonly isReplica: boolean
  readonly logger: Logger
}

export interface CopyReader {
  readonly db: Queryable
  /** Copies rows out, and reads ahead up to a bound while the consumer takes another reader's rows. */
  copy(statement: string): RowCopy
  /** Ends the connection, and with it a copy under way, whose rest it would otherwise have to read first. */
  giveUp(): void
}

export interface RowCopy {
  readonly bytes: Readable
  /** The number of rows, once all of them are copied and the reader can copy others. */
  readonly rows: Promise<number>
}

type CopyingConnection = RawConnection & NodeJS.EventEmitter & { query(copy: Readable): unknown }

/** The most bytes of a copy that are read ahead. */
const HELD_BYTES = 16 * 2 ** 20

/** Runs work with a connection of its own in a read-only transaction, which sees one snapshot. It has no time limits. */
export async function withCopyReader<T>({ url, isReplica, logger }: CopySource, work: (reader: CopyReader) => Promise<T>): Promise<T> {
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
      // Two readers keep two processes busy. A parallel plan would hand each row to another process, and may sort all rows on disk.
      await sql`set local max_parallel_workers_per_gather = 0`.execute(db)
      // The consumer may be slow, such as an upload, or `less`. Meanwhile a reader has no statement, or the server has bytes to send.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(db)
      await sql`set local tcp_user_timeout = 0`.execute(db)
      if (connection === null) throw new Error('a transaction without a connection')
      return work(readerOf(connection, db))
    })
  } finally {
    await orm.close(true)
  }
}

function readerOf(connection: CopyingConnection, db: Queryable): CopyReader {
  return {
    db,
    copy: statement => {
      const bytes = to(statement, { highWaterMark: HELD_BYTES })
      const rows = once(connection, 'drain').then(() => bytes.rowCount)
      // The driver only tells of an error. A consumer that begins to read later learns of it from a destroyed stream alone.
      bytes.on('error', error => bytes.destroy(error))
      rows.catch(() => undefined)
      connection.query(bytes)
      bytes.read(0)
      return { bytes, rows }
    },
    giveUp: () => connection.connection.stream.destroy(),
  }
}
