import { Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { loadDatabaseConfig, loadReadUrl } from '#configuration/loadConfig.ts'
import { takenByNpm } from '#configuration/npmOptions.ts'
import { toStartError } from '#store/connection/startError.ts'
import { type CopiedRanges, copyOut, type ExportedBlock } from '#store/exports/copyOut.ts'
import { exportedName } from '#store/exports/copyStatement.ts'
import { EXPORTED } from '#store/views/views.ts'
import { errorOutput } from '#telemetry/logOutput.ts'
import { databaseCommand } from './databaseCommand.ts'
import { EXPORT_OPTIONS, EXPORT_USAGE, type ExportRequest, parseExportRequest } from './exportRequest.ts'
import { writeTarget } from './exportTarget.ts'
import { parquetOf } from './parquetFile.ts'

/* npm run export: rows of the index as CSV, JSON lines or Parquet, true for one block. The service may run meanwhile. */

const PROGRESS_MS = 5_000
const MIB = 2 ** 20

const options = { cwd: process.cwd() }
const request = parseExportRequest(process.argv.slice(2))
const taken = takenByNpm(EXPORT_OPTIONS, 'npm run -s export -- trades --format csv', { isWrong: request.kind === 'refused' })
if (taken !== null || request.kind === 'refused') {
  const reason = taken ?? (request.kind === 'refused' ? request.reason : '')
  process.stderr.write(`${reason}\n${EXPORT_USAGE}\n`)
  process.exitCode = 1
} else {
  const load = () => ({ ...loadDatabaseConfig(process.env, options), databaseReadUrl: loadReadUrl(process.env, options) })
  await databaseCommand(load, ({ url, config, logger }) => exportRows(request, { url, readUrl: config.databaseReadUrl, logger }), {
    told: errorOutput(),
  })
}

type Database = Pick<Parameters<typeof copyOut>[0], 'url' | 'logger'> & { readonly readUrl: string | null }

/** @returns what was written, as a sentence */
async function exportRows({ name, format, filter, out }: ExportRequest, { url, readUrl, logger }: Database): Promise<string> {
  const view = EXPORTED[name]
  const source = { url: readUrl ?? url, isReplica: readUrl !== null, logger }
  const progress = showProgress(name)
  try {
    const { block, rows } = await writeTarget(out, target =>
      copyOut(source, { view, filter, lines: format === 'csv' ? 'csv' : 'json' }, async (ranges, block) => {
        errorOutput().write(`${name} as of block ${block.number} (${block.hash})\n`)
        const encoders = {
          csv: () => joined(ranges, `${view.columns.map(exportedName).join(',')}\n`),
          ndjson: () => joined(ranges),
          parquet: () => parquetOf(view, metadataOf(name, block))(ranges),
        }
        // Whoever opened the target ends it: standard output never is.
        await pipeline(encoders[format](), progress.counted, target, { end: false })
      }),
    )
    return `${rows} rows of ${name} as of block ${block.number} (${block.hash}), ${progress.shown()}`
  } catch (error) {
    throw toStartError(error, { url: source.url, setting: source.isReplica ? 'DATABASE_READ_URL' : 'DATABASE_URL' })
  } finally {
    progress.stop()
  }
}

async function* joined(ranges: CopiedRanges, header = ''): AsyncGenerator<Buffer> {
  yield Buffer.from(header)
  for await (const range of ranges) yield* range
}

function metadataOf(name: string, { number, hash }: ExportedBlock): Readonly<Record<string, string>> {
  return { 'tokenwire.rows': name, 'tokenwire.asOfBlock': String(number), 'tokenwire.asOfBlockHash': hash }
}

function showProgress(name: string) {
  let bytes = 0
  const startedAtMs = performance.now()
  const shown = () => {
    const seconds = (performance.now() - startedAtMs) / 1_000
    return `${(bytes / MIB).toFixed(1)} MiB in ${seconds.toFixed(1)} s`
  }
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      bytes += chunk.length
      done(null, chunk)
    },
  })
  const timer = setInterval(() => errorOutput().write(`${name}: ${shown()}\n`), PROGRESS_MS)
  return { counted, shown, stop: () => clearInterval(timer) }
}
