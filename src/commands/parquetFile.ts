import { Worker } from 'node:worker_threads'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { scriptBeside } from '#package'
import { type CopiedRanges, type CopiedRows, copiedFields } from '#store/exports/copiedFields.ts'
import type { View } from '#store/views/view.ts'
import { type EncodedGroup, encodeRowGroup, movedBy, type ParquetColumn, parquetSchema } from './parquetRowGroup.ts'

/** Encoding a row takes longer than reading it, so one thread could not keep up with the database. */
const THREADS = 2
/** The most groups in memory: those being encoded, and those that wait for a thread. */
const GROUPS_AHEAD = 2 * THREADS

/**
 * Turns the rows of COPYs in the format `binary` into a Parquet file, group by group. The columns have the names of REST, with points.
 *
 * @param metadata of the file
 * @param rowsPerGroup the least number; they are in memory together, and a reader skips whole groups
 */
export function parquetOf(view: View, metadata: Readonly<Record<string, string>>, rowsPerGroup = 20_000) {
  const columns = view.columns.map(({ name, kind }) => ({ name, kind }))
  return async function* encode(ranges: CopiedRanges): AsyncGenerator<Uint8Array> {
    const writer = new ByteWriter()
    const file = new ParquetWriter({
      writer,
      schema: parquetSchema(columns),
      createdBy: 'tokenwire',
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    })
    for await (const { bytes, group } of encodedGroups(columns, groupsOf(ranges, columns.length, rowsPerGroup))) {
      file.row_groups.push(movedBy(writer.offset, group))
      file.num_rows += group.num_rows
      writer.appendBytes(bytes)
      yield taken(writer)
    }
    await file.finish()
    yield taken(writer)
  }
}

/** The bytes that were written since it was called last. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice()
  writer.index = 0
  return bytes
}

/** Parts of at least so many rows together, or the last ones. */
async function* groupsOf(ranges: CopiedRanges, width: number, least: number): AsyncGenerator<readonly CopiedRows[]> {
  let group: CopiedRows[] = []
  let rows = 0
  for await (const part of copiedFields(ranges, width)) {
    group.push(part)
    rows += part.places.length / (2 * width)
    if (rows < least) continue
    yield group
    group = []
    rows = 0
  }
  if (rows > 0) yield group
}

/** In order. The first group is encoded here, so that a small file needs no thread. */
async function* encodedGroups(
  columns: readonly ParquetColumn[],
  groups: AsyncIterable<readonly CopiedRows[]>,
): AsyncGenerator<EncodedGroup> {
  const threads: EncodingThread[] = []
  const ahead: Promise<EncodedGroup>[] = []
  let count = 0
  try {
    for await (const rows of groups) {
      if (count++ === 0) {
        yield encodeRowGroup(columns, rows)
        continue
      }
      const thread = (threads[count % THREADS] ??= startThread(columns))
      ahead.push(thread.encode(rows))
      const [first] = ahead.length < GROUPS_AHEAD ? [] : ahead.splice(0, 1)
      if (first !== undefined) yield await first
    }
    for (const encoded of ahead) yield await encoded
  } finally {
    await Promise.all(threads.map(thread => thread.stop()))
  }
}

interface EncodingThread {
  /** @throws what ended the thread */
  encode(rows: readonly CopiedRows[]): Promise<EncodedGroup>
  stop(): Promise<unknown>
}

function startThread(columns: readonly ParquetColumn[]): EncodingThread {
  const worker = new Worker(scriptBeside(import.meta.url, 'parquetThread'), { workerData: columns })
  const waiting: PromiseWithResolvers<EncodedGroup>[] = []
  // It answers in the order in which it was asked.
  worker.on('message', (encoded: EncodedGroup) => waiting.shift()?.resolve(encoded))
  worker.on('error', error => {
    for (const { reject } of waiting.splice(0)) reject(error)
  })
  return {
    encode: rows => {
      const encoded = Promise.withResolvers<EncodedGroup>()
      // It may fail before it is awaited.
      encoded.promise.catch(() => undefined)
      waiting.push(encoded)
      worker.postMessage(rows)
      return encoded.promise
    },
    stop: () => worker.terminate(),
  }
}
