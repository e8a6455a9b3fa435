import { parseArgs } from 'node:util'
import { nearestName } from '#domain/nearestName.ts'
import type { ExportFilter } from '#store/exports/copyStatement.ts'
import { EXPORTED, type ExportName } from '#store/views/views.ts'

export const EXPORT_FORMATS = ['csv', 'ndjson', 'parquet'] as const

export interface ExportRequest {
  readonly kind: 'request'
  readonly name: ExportName
  readonly format: (typeof EXPORT_FORMATS)[number]
  readonly filter: ExportFilter
  /** `null`: standard output. */
  readonly out: string | null
}

export const EXPORT_USAGE = `usage: npm run -s export -- ${Object.keys(EXPORTED).join('|')} --format ${EXPORT_FORMATS.join('|')} [--token <address>] [--launchpad <name>]
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

export const EXPORT_OPTIONS = Object.keys(OPTIONS)

export function parseExportRequest(args: readonly string[]): ExportRequest | Refused {
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
