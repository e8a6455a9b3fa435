import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { Hex } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import { createOrm } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { type CopyReader, type CopySource, withCopyReader } from './copyReader.ts'
import { copyStatement, type ExportedRows, type ExportFilter } from './copyStatement.ts'
import { ALL_KEYS, type KeyRange, readKeyRanges } from './keyRanges.ts'

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
