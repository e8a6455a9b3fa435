import type { ChainSource } from '#chain/chainSource.ts'
import type { AskedLogs, LogRange, LogRangeQuery } from '#chain/logs/logRanges.ts'
import { assertOwnPlaces, orderLogs } from '#chain/logs/parseLogs.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import type { KeptRange } from '#store/keptLogs/keptTables.ts'
import type { RangeSource } from '#sync/prefetch.ts'
import { type KeptReader, keyedFilters, type LogPiece, type OpenedKept, partOf } from './keptReader.ts'
import type { KeptWriter } from './keptWriter.ts'

export interface KeptSourceOptions {
  readonly source: Pick<ChainSource, 'headers' | 'logsInRange' | 'blockWithLogs'>
  /** The readers, in the order in which they are asked. */
  readonly readers: readonly KeptReader[]
  /** `null`: nothing is kept. */
  readonly writer: KeptWriter | null
}

/** Fetches ranges from kept logs first, asks providers for what is missing, and keeps that. */
export function createKeptSource({ source, readers, writer }: KeptSourceOptions): RangeSource & Pick<ChainSource, 'blockWithLogs'> {
  const open = () => Promise.all(readers.map(reader => reader.open()))

  return {
    blockWithLogs: source.blockWithLogs,
    headers: async numbers => {
      const found = new Map<number, BlockHeader>()
      for (const kept of await open()) {
        const missing = numbers.filter(number => !found.has(number))
        for (const [number, header] of missing.length === 0 ? [] : await kept.headers(missing)) found.set(number, header)
      }
      const missing = numbers.filter(number => !found.has(number))
      if (missing.length > 0) for (const header of await source.headers(missing)) found.set(header.number, header)
      return numbers.flatMap(number => found.get(number) ?? [])
    },
    endOfRange: async (from, to, maxLogs) =>
      endOfRange(
        (await open()).flatMap(({ ranges }) => ranges),
        from,
        to,
        maxLogs,
      ),
    logsInRange: async (query, since) => {
      const filters = keyedFilters(query)
      const kept = filters === null ? [] : await open()
      if (filters === null || kept.every(({ ranges }) => ranges.length === 0)) return asAsked(query, await source.logsInRange(query))
      const pieces = filters.map(filter => ({ ...filter, from: query.from, to: query.to }))
      const { logs, missing } = await readAll(kept, pieces, since)
      if (logs.length === 0 && missing.length === pieces.length) return asAsked(query, await source.logsInRange(query))
      return askFor(source, query, missing, logs)
    },
    fetched: async ({ first, last, headers, answers, announced }) => {
      await writer?.keep({ first, last, headers, asked: answers.flatMap(({ asked = [] }) => asked), since: announced })
    },
  }
}

function asAsked(query: LogRangeQuery, range: LogRange): LogRange {
  return { ...range, asked: [{ query: { ...query, to: range.to }, logs: range.logs }] }
}

/** What any of the databases has of the pieces, each log once, and what none has. */
async function readAll(kept: readonly OpenedKept[], pieces: readonly LogPiece[], since: ReadonlyMap<Hex, number>) {
  const logs: (readonly ChainLog[])[] = []
  let missing = pieces
  for (const one of kept) {
    const left: LogPiece[] = []
    for (const piece of missing) {
      const part = await one.read(piece, since)
      logs.push(part.logs)
      left.push(...part.missing)
    }
    missing = left
  }
  return { logs: logs.flat(), missing }
}

/** Asks for the missing pieces. Where an answer ends early, because it has many logs, the range does. */
async function askFor(
  source: KeptSourceOptions['source'],
  query: LogRangeQuery,
  missing: readonly LogPiece[],
  kept: readonly ChainLog[],
): Promise<LogRange> {
  const asked: AskedLogs[] = []
  let { to } = query
  for (const piece of missing.toSorted((a, b) => a.from - b.from)) {
    if (piece.from > to) continue
    const part = { ...partOf(piece), from: piece.from, to: Math.min(piece.to, to) }
    const range = await source.logsInRange({ ...part, end: query.end, maxLogs: query.maxLogs })
    if (range.to < part.to) to = range.to
    asked.push({ query: { ...part, to: range.to }, logs: range.logs })
  }
  const logs = orderLogs([...kept, ...asked.flatMap(one => one.logs)]).filter(({ blockNumber }) => blockNumber <= to)
  assertOwnPlaces(logs)
  return { logs, to, asked }
}

/**
 * Ends a range with a kept one, or before the next one, so that neither is cut. Past `maxLogs` of kept logs no further kept range is begun.
 */
function endOfRange(ranges: readonly KeptRange[], from: number, to: number, maxLogs: number): number {
  const isWithin = ranges.some(range => range.from <= from && range.to >= from)
  if (!isWithin) return Math.min(to, ...ranges.flatMap(range => (range.from > from && range.from <= to ? [range.from - 1] : [])))
  let end = to
  let logs = 0
  for (const range of ranges.toSorted((a, b) => a.to - b.to)) {
    if (range.to < from || range.to > to) continue
    logs += range.logs
    if (logs > maxLogs && end !== to) break
    end = range.to
  }
  return end
}
