import { parentPort, workerData } from 'node:worker_threads'
import type { CopiedRows } from '#store/exports/copiedFields.ts'
import { encodeRowGroup, type ParquetColumn } from './parquetRowGroup.ts'

/* A thread that encodes groups of rows, see `parquetFile.ts`. An uncaught exception ends it. */

const columns = workerData as readonly ParquetColumn[]

parentPort?.on('message', (rows: readonly CopiedRows[]) => {
  // A Buffer comes through the port as a plain array of bytes.
  const received = rows.map(({ bytes, places }) => ({ bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), places }))
  parentPort?.postMessage(encodeRowGroup(columns, received))
})
