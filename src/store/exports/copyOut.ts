import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import { to } from 'pg-copy-streams'
import type { Logger } from 'pino'
import type { Hex } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import type { RawConnection } from '#store/connection/driver.ts'
import { createOrm } from '#store/connection/orm.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { exportForm, type LeadingColumn, literal, type View, type ViewColumn } from '#store/views/view.ts'

/** The bytes of one COPY after the other. The consumer reads each to its end before the next one. */
export type CopiedRanges = AsyncIterable<AsyncIterable<Buffer>>

/** The block as of which the exported rows are. */
export interface ExportedBlock {
  readonly number: number
  readonly hash: Hex
}

/**
 * Copies rows out of one snapshot of the database. Two connections copy ranges in turn, since PostgreSQL writes lines more slowly than
 * this process reads them. Memory is bounded by what the connections read ahead.
 *
 * @param receive takes the bytes, and the block of the snapshot. When it rejects, the copy ends
 * @returns the block and the number of rows
 * @throws `TokenwireError` as `requireDatabase`; `config_invalid` when nothing is indexed, or the filter names what is not
 */
export async function copyOut(
  source: CopySource,
  exported: ExportedRows,
  receive: (ranges: CopiedRanges, block: ExportedBlock) => Promise<void>,
): Promise<{ readonly block: ExportedBlock; readonly rows: number }> {
  await requireSource(source)
  return withCopyReader(source, async first => {
    const block = await readBlock(first.db)
    await requireKnown(exported.filter, first.db)
    const ranges = await rangesOf(exported, first.db)
    return withReaders({ source, first, areTwo: ranges.length > 1 }, async readers => {
      let rows = 0
      const copied = copyInTurn(
        readers,
        ranges.map(range => copyStatement(exported, range)),
        count => (rows += count),
      )
      try {
        await receive(copied, block)
      } catch (error) {
        for (const reader of readers) reader.giveUp()
        throw error
      }
      return { block, rows }
    })
  })
}

async function requireSource({ url, isReplica, logger }: CopySource): Promise<void> {
  const checked = createOrm(url, logger, { poolSize: 2, applicationName: 'tokenwire-export', isStandbyWanted: isReplica })
  try {
    await requireDatabase(checked.em.getKysely(), { url, use: isReplica ? 'replica' : 'serve', logger })
  } finally {
    await checked.close(true)
  }
}

async function readBlock(db: Queryable): Promise<ExportedBlock> {
  const { rows } = await sql<ExportedBlock>`
    select cursor_number as number, cursor_hash as hash from chain_state where cursor_hash is not null`.execute(db)
  const [block] = rows
  if (block === undefined) throw new TokenwireError('config_invalid', 'The database has no index yet.')
  return block
}

/** A name with a typing error would give an export without rows. */
async function requireKnown({ token, launchpad }: ExportFilter, db: Queryable): Promise<void> {
  const { rows } = await sql<{ hasToken: boolean; launchpads: readonly string[] }>`
    select exists (select from token where address = decode(${token?.slice(2) ?? ''}, 'hex')) as "hasToken",
      array(select launchpad from launchpad_totals order by launchpad) as launchpads`.execute(db)
  const { hasToken = false, launchpads = [] } = rows[0] ?? {}
  if (token !== undefined && !hasToken) throw new TokenwireError('config_invalid', `--token: ${token} is not an indexed token`)
  if (launchpad !== undefined && !launchpads.includes(launchpad))
    throw new TokenwireError('config_invalid', `--launchpad must be one that has tokens (${launchpads.join(', ')}), got ${launchpad}`)
}

/** The ranges to copy. The rows of one token are one range: an index finds them, and each range would look for them anew. */
async function rangesOf({ view: { leading }, filter }: ExportedRows, db: Queryable): Promise<readonly KeyRange[]> {
  return leading === undefined || filter.token !== undefined ? [ALL_KEYS] : readKeyRanges(db, leading)
}

interface FirstReader {
  readonly source: CopySource
  readonly first: CopyReader
  readonly areTwo: boolean
}

/**
 * Runs work with the first reader and, if possible, a second one that sees the same snapshot. It is not possible where the server has no
 * more connections, or the URL leads to several servers.
 */
async function withReaders<T>({ source, first, areTwo }: FirstReader, work: (readers: readonly CopyReader[]) => Promise<T>): Promise<T> {
  if (!areTwo) return work([first])
  const { rows } = await sql<{ readonly snapshot: string; readonly path: string }>`
    select pg_export_snapshot() as snapshot, current_setting('search_path') as path`.execute(first.db)
  let isWorking = false
  try {
    return await withCopyReader(source, async second => {
      await sql`set transaction snapshot ${sql.lit(rows[0]?.snapshot)}`.execute(second.db)
      // Another schema may be served since the first reader has connected.
      await sql`select set_config('search_path', ${rows[0]?.path}, true)`.execute(second.db)
      isWorking = true
      return work([first, second])
    })
  } catch (error) {
    if (isWorking) throw error
    source.logger.info({ err: error }, 'the export reads with one connection, since a second one does not see its snapshot')
    return work([first])
  }
}

/** Each reader begins its next statement as soon as the consumer has taken the bytes of the one before. */
async function* copyInTurn(
  readers: readonly CopyReader[],
  statements: readonly string[],
  count: (rows: number) => void,
): AsyncGenerator<Readable> {
  let next = 0
  const copyNext = (reader: CopyReader) => {
    const statement = statements[next++]
    return statement === undefined ? [] : [{ reader, ...reader.copy(statement) }]
  }
  const started = readers.flatMap(copyNext)
  for (let copy = started.shift(); copy !== undefined; copy = started.shift()) {
    yield copy.bytes
    count(await copy.rows)
    started.push(...copyNext(copy.reader))
  }
}

interface CopySource {
  readonly url: string
  readonly isReplica: boolean
  readonly logger: Logger
}

interface CopyReader {
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

/** The keys from `from`, inclusive, to `to`, exclusive, as SQL. `null`: there is no bound. */
interface KeyRange {
  readonly from: string | null
  readonly to: string | null
}

/** The text of the rows is two to four times as large. */
const TABLE_BYTES_PER_RANGE = 4 * 2 ** 20

const ALL_KEYS: KeyRange = { from: null, to: null }

/** Splits all values of a column into ranges, in order, each of about the same part of the table. */
async function readKeyRanges(db: Queryable, { table, column, holds }: LeadingColumn): Promise<readonly KeyRange[]> {
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

/** Selects rows of a view. `from` and `to` are Unix seconds, inclusive. */
export interface ExportFilter {
  readonly token?: string | undefined
  readonly launchpad?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** The rows to export, and what PostgreSQL writes: lines of CSV without a header, or an object of JSON in each line. */
interface ExportedRows {
  readonly view: View
  readonly filter: ExportFilter
  readonly lines: 'csv' | 'json'
}

/** CSV of one column, with a separator and a quote that JSON never has as they are: the text is written unchanged. */
const BARE = String.raw`(format csv, delimiter e'\x02', quote e'\x01')`

/** The COPY statement that writes the rows of a range, in order. */
function copyStatement({ view, filter, lines }: ExportedRows, { from, to }: KeyRange): string {
  const key = view.leading === undefined ? '' : `${view.leading.table}.${view.leading.column}`
  const conditions = [
    ...(view.where === undefined ? [] : [view.where]),
    ...conditionsOf(view, filter),
    ...(from === null ? [] : [`${key} >= ${from}`]),
    ...(to === null ? [] : [`${key} < ${to}`]),
  ]
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const fields = view.columns.map(column => `${exportForm(column)} as "${exportedName(column)}"`)
  const rows = `select ${fields.join(', ')} from ${view.from} ${where} order by ${view.order}`
  return lines === 'csv'
    ? `copy (${rows}) to stdout (format csv)`
    : `copy (select row_to_json(line) from (${rows}) as line) to stdout ${BARE}`
}

/** The column's name in files: `market_priceWeth` for `market.priceWeth`, since warehouses take no points, or for a path. */
export function exportedName({ name }: ViewColumn): string {
  return name.replaceAll('.', '_')
}

function conditionsOf({ filters }: View, { token, launchpad, from, to }: ExportFilter): readonly string[] {
  return [
    ...(token === undefined ? [] : [`${filters.token} = '\\x${token.slice(2)}'::bytea`]),
    ...(launchpad === undefined ? [] : [`${filters.launchpad} = ${literal(launchpad)}`]),
    ...(from === undefined ? [] : [`${filters.time} >= ${from}`]),
    ...(to === undefined ? [] : [`${filters.time} <= ${to}`]),
  ]
}
