import { Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { takenByNpm } from '#configuration/environment.ts'
import { loadDatabaseConfig, loadReadUrl } from '#configuration/loadConfig.ts'
import { nearestName } from '#domain/text.ts'
import { toStartError } from '#store/connection/databaseErrors.ts'
import { type CopiedRanges, copyOut, type ExportedBlock, type ExportFilter, exportedName } from '#store/exports/copyOut.ts'
import { EXPORTED, type ExportName } from '#store/views/views.ts'
import { errorOutput } from '#telemetry/logger.ts'
import { databaseCommand } from './databaseCommand.ts'
import { writeTarget } from './exportTarget.ts'
import { parquetOf } from './parquetFile.ts'

export const EXPORT_FORMATS = ['csv', 'ndjson', 'parquet'] as const

interface ExportRequest {
  readonly kind: 'request'
  readonly name: ExportName
  readonly format: (typeof EXPORT_FORMATS)[number]
  readonly filter: ExportFilter
  /** `null`: standard output. */
  readonly out: string | null
}

const EXPORT_USAGE = `usage: npm run -s export -- ${Object.keys(EXPORTED).join('|')} --format ${EXPORT_FORMATS.join('|')} [--token <address>] [--launchpad <name>]
  [--from <time>] [--to <time>] [--out <file>]; times are Unix seconds, or dates such as 2026-11-01 or 2026-11-01T12:00:00Z`

const OPTIONS = {
  format: { type: 'string' },
  token: { type: 'string' },
  launchpad: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  out: { type: 'string' },
} as const

interface Refused {
  readonly kind: 'refused'
  /** What was expected. */
  readonly reason: string
}

const EXPORT_OPTIONS = Object.keys(OPTIONS)

function parseExportRequest(args: readonly string[]): ExportRequest | Refused {
  const parsed = parseOptions(args)
  if (parsed.kind === 'refused') return parsed
  const { values, positionals } = parsed
  const [name = '', ...more] = positionals
  const view = Object.entries(EXPORTED).find(([known]) => known === name)?.[1]
  if (view === undefined || more.length > 0)
    return refused(`expected one of ${Object.keys(EXPORTED).join(', ')}, got ${positionals.join(' ') || 'nothing'}`)
  const format = EXPORT_FORMATS.find(one => one === values.format)
  if (format === undefined) return refused(`--format must be one of ${EXPORT_FORMATS.join(', ')}, got ${values.format ?? 'nothing'}`)
  if (values.token !== undefined && !/^0x[0-9a-f]{40}$/i.test(values.token))
    return refused('--token must be an address (0x and 40 hex digits)')
  const [from, to] = [timeOf(values.from), timeOf(values.to)]
  if (from === null || to === null)
    return refused('--from and --to must be Unix seconds, or dates such as 2026-11-01 or 2026-11-01T12:00:00Z')
  if (view.filters.time === null && (from ?? to) !== undefined) return refused(`${name} have no time: leave out --from and --to`)
  if (from !== undefined && to !== undefined && from > to) return refused('--from must not be after --to')
  const filter = { token: values.token?.toLowerCase(), launchpad: values.launchpad, from, to }
  return { kind: 'request', name: name as ExportName, format, filter, out: values.out ?? null }
}

function parseOptions(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
    return { kind: 'parsed' as const, values, positionals }
  } catch {
    const unknown = args.find(arg => arg.startsWith('--') && !Object.hasOwn(OPTIONS, arg.slice(2).split('=')[0] ?? ''))
    if (unknown === undefined) return refused('every option needs a value')
    return refused(`unknown option ${unknown}; did you mean --${nearestName(unknown.slice(2), Object.keys(OPTIONS))}?`)
  }
}

/** In Unix seconds; a date is its first second in UTC. `null`: it is neither. */
function timeOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,11}$/.test(text)) return Number(text)
  if (!/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/.test(text)) return null
  const ms = Date.parse(text)
  // 30 February would be 2 March.
  const isInCalendar = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 10))
  return isInCalendar ? Math.floor(ms / 1_000) : null
}

function refused(reason: string): Refused {
  return { kind: 'refused', reason }
}

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
