import type { Logger } from 'pino'
import type { AskedLogs } from '#chain/logs/logRanges.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import { comparePlaces } from '#domain/eventPlace.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { beginKeptRun, insertKeptRange, readKeptRuns } from '#store/keptLogs/keptTables.ts'
import { packLogs } from '#store/keptLogs/packLogs.ts'
import { filterText, type KeptFilter, keyedFilters, keyOfLog } from './keptReader.ts'

export interface KeptWriterOptions {
  readonly db: Queryable
  /** Whether the logs were held against the receipts of their blocks. */
  readonly isProven: boolean
  readonly logger: Logger
}

/** Final blocks with what providers were asked for of their logs. */
export interface RangeToKeep {
  readonly first: BlockHeader
  readonly last: BlockHeader
  /** The headers of the blocks that have logs, ascending. */
  readonly headers: readonly BlockHeader[]
  readonly asked: readonly AskedLogs[]
  /** The first block whose logs are there, for keys that are announced within the blocks. */
  readonly since: ReadonlyMap<Hex, number>
}

export interface KeptWriter {
  /** Returns when the range before it is written. A range that can't be written is missing, and asked for again when it is needed. */
  keep(range: RangeToKeep): Promise<void>
  /** The newest block up to which all filters of a query are kept; `null`: one of them is not kept at all. */
  endOf(query: Parameters<typeof keyedFilters>[0]): Promise<number | null>
  /** Resolves when everything is written. */
  settled(): Promise<void>
}

/** The run that the next range of a filter may continue. */
interface OpenRun {
  readonly id: number
  readonly end: Pick<BlockHeader, 'number' | 'hash'>
  readonly keys: Map<Hex, number>
}

/** The logs of one filter in a range. */
interface Kept {
  readonly filter: KeptFilter
  /** Each with the first block whose logs of it are there. */
  readonly keys: Map<Hex, number>
  readonly logs: ChainLog[]
}

export function createKeptWriter({ db, isProven, logger }: KeptWriterOptions): KeptWriter {
  let runs: Map<string, OpenRun> | null = null
  let writing: Promise<void> = Promise.resolve()

  const write = async ({ first, last, headers, ...range }: RangeToKeep): Promise<void> => {
    runs ??= await readOpenRuns(db)
    for (const [text, { filter, keys, logs }] of keptByFilter({ ...range, last: last.number }, isProven)) {
      const blocks = new Set(logs.map(({ blockNumber }) => blockNumber)).add(first.number).add(last.number)
      const own = new Map([first, ...headers, last].map(header => [header.number, header]))
      const packed = { headers: [...own.values()].filter(({ number }) => blocks.has(number)), logs }
      const body = await packLogs(packed)
      const open = runs.get(text)
      const run = open !== undefined && continues(open, first, keys) ? open : await begin(text)
      const added = [...keys].filter(([key]) => !run.keys.has(key))
      const row = { run: run.id, from: first.number, to: last.number, parentHash: first.parentHash, hash: last.hash, logs: logs.length }
      const isWritten = await insertKeptRange(db, { ...row, keys: added, body })
      if (!isWritten) {
        // Another index of this database has continued the run.
        const anew = await begin(text)
        await insertKeptRange(db, { ...row, run: anew.id, keys: [...keys], body })
        for (const [key, from] of keys) anew.keys.set(key, from)
        runs.set(text, { ...anew, end: last })
        continue
      }
      for (const [key, from] of added) run.keys.set(key, from)
      runs.set(text, { ...run, end: last })
      if (filter.kind === 'addresses') logger.debug({ from: first.number, to: last.number, logs: logs.length }, 'kept logs')
    }
  }

  const begin = async (text: string): Promise<OpenRun> => ({
    id: await beginKeptRun(db, text),
    end: { number: -1, hash: '0x' },
    keys: new Map(),
  })

  return {
    keep: async range => {
      if (range.asked.length === 0) return
      const before = writing
      writing = before
        .then(() => write(range))
        .catch((err: unknown) => {
          runs = null
          logger.warn(
            { err, from: range.first.number, to: range.last.number },
            'logs could not be kept; a rebuild will ask providers for them',
          )
        })
      await before
    },
    endOf: async query => {
      await writing
      runs ??= await readOpenRuns(db)
      const ends = (keyedFilters(query) ?? []).map(({ filter }) => runs?.get(filterText(filter, isProven))?.end.number ?? null)
      return ends.length === 0 || ends.includes(null) ? null : Math.min(...ends.filter(end => end !== null))
    },
    settled: () => writing,
  }
}

/** Whether a range goes on where the run ends, and has every key of it from its first block on. */
function continues({ end, keys: known }: OpenRun, first: BlockHeader, keys: ReadonlyMap<Hex, number>): boolean {
  if (end.number !== first.number - 1 || end.hash !== first.parentHash) return false
  for (const key of known.keys()) if ((keys.get(key) ?? Number.POSITIVE_INFINITY) > first.number) return false
  return true
}

/** What was asked up to the last block, by the text of its filter. */
function keptByFilter(
  { asked, since, last }: Pick<RangeToKeep, 'asked' | 'since'> & { readonly last: number },
  isProven: boolean,
): ReadonlyMap<string, Kept> {
  const kept = new Map<string, Kept>()
  for (const { query, logs } of asked) {
    if (query.to < last) continue
    for (const { filter, keys } of keyedFilters(query) ?? []) {
      const text = filterText(filter, isProven)
      const one = kept.get(text) ?? { filter, keys: new Map<Hex, number>(), logs: [] }
      kept.set(text, one)
      const hasKeys = filter.kind === 'addresses' || filter.grows
      const from = new Map([...(hasKeys ? keys : PLAIN)].map(key => [key, Math.max(query.from, since.get(key) ?? query.from)]))
      // A key that is announced again in an earlier block is asked for again, from that block on.
      const older = one.logs.filter(log => !from.has(keyOfLog(filter, log) ?? '0x'))
      const own = logs.filter(log => {
        const key = keyOfLog(filter, log)
        return key !== null && log.blockNumber <= last && log.blockNumber >= (from.get(hasKeys ? key : '0x') ?? Number.POSITIVE_INFINITY)
      })
      one.logs.splice(0, one.logs.length, ...[...older, ...own].toSorted(comparePlaces))
      for (const [key, block] of from) one.keys.set(key, block)
    }
  }
  return kept
}

/** A filter without keys counts as one with this one. */
const PLAIN: readonly Hex[] = ['0x']

/** The newest run of each filter. */
async function readOpenRuns(db: Queryable): Promise<Map<string, OpenRun>> {
  const open = new Map<string, OpenRun>()
  for (const { id, filter, ranges, keys } of await readKeptRuns(db)) {
    const last = ranges.at(-1)
    if (last !== undefined) open.set(filter, { id, end: { number: last.to, hash: last.hash }, keys: new Map(keys) })
  }
  return open
}
