import type { ChainSource } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import { setNewest } from '#domain/setNewest.ts'
import { faultOf } from '#rpc/rpcFault.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { type KeptRange, type KeptRun, readKeptBody, readKeptRuns } from '#store/keptLogs/keptRanges.ts'
import { type LogsOfBlocks, unpackLogs } from '#store/keptLogs/packLogs.ts'
import { type CoveredPiece, coverPiece, type LogPiece, type UsableRun } from './coverage.ts'
import { keyOfLog, parseFilterText } from './keptFilter.ts'

export interface KeptReaderOptions {
  readonly db: Queryable
  /** Shows which of the kept blocks are on the chain. */
  readonly source: Pick<ChainSource, 'header'>
  /** Whether only logs that were held against receipts may be used. */
  readonly needsProof: boolean
}

/** The logs of a database that are kept, and still of the chain. */
export interface KeptReader {
  /** @throws `RpcError`; the database's errors */
  open(): Promise<OpenedKept>
}

export interface OpenedKept {
  readonly ranges: readonly KeptRange[]
  /** The kept part of a piece, and what is missing of it. */
  read(
    piece: LogPiece,
    since: ReadonlyMap<Hex, number>,
  ): Promise<{ readonly logs: readonly ChainLog[]; readonly missing: readonly LogPiece[] }>
  /** The headers of those of the blocks that are kept, by their numbers. */
  headers(numbers: readonly number[]): Promise<ReadonlyMap<number, BlockHeader>>
}

/** A range holds up to 40,000 logs, some 30 MiB. */
const BODIES_HELD = 4

type Body = LogsOfBlocks & { readonly byNumber: ReadonlyMap<number, BlockHeader> }

export function createKeptReader({ db, source, needsProof }: KeptReaderOptions): KeptReader {
  let opened: Promise<OpenedKept> | null = null
  const open = async (): Promise<OpenedKept> => {
    const runs: UsableRun[] = []
    for (const run of await readKeptRuns(db)) {
      const parsed = parseFilterText(run.filter)
      const ranges = needsProof && !parsed.isProven ? [] : await onChain(source, run)
      if (ranges.length > 0) runs.push({ ...run, ranges, parsed })
    }
    return openKept(db, runs)
  }
  return {
    open: () => {
      // A failed attempt is repeated with the range that wanted it.
      opened ??= open().catch((error: unknown) => {
        opened = null
        throw error
      })
      return opened
    },
  }
}

function openKept(db: Queryable, runs: readonly UsableRun[]): OpenedKept {
  const bodies = new Map<string, Promise<Body | null>>()
  const bodyOf = (run: KeptRun, { from }: KeptRange): Promise<Body | null> => {
    const key = `${run.id} ${from}`
    const body = bodies.get(key) ?? readBody(db, run, from)
    setNewest(bodies, key, body, BODIES_HELD)
    body.catch(() => bodies.delete(key))
    return body
  }

  const logsOf = async ({ run, range, filter, keys, from, to }: CoveredPiece): Promise<readonly ChainLog[]> => {
    const body = await bodyOf(run, range)
    if (body === null) throw new TypeError(`the kept logs from block ${range.from} on were removed meanwhile`)
    const isPlain = filter.kind === 'contract' && !filter.grows
    return body.logs.filter(log => {
      if (log.blockNumber < from || log.blockNumber > to) return false
      const key = keyOfLog(filter, log)
      return key !== null && (isPlain || keys.has(key))
    })
  }

  return {
    ranges: runs.flatMap(({ ranges }) => ranges),
    read: async (piece, since) => {
      const { covered, missing } = coverPiece(piece, runs, since)
      const logs: (readonly ChainLog[])[] = []
      for (const part of covered) logs.push(await logsOf(part))
      return { logs: logs.flat(), missing }
    },
    headers: async numbers => {
      const found = new Map<number, BlockHeader>()
      for (const run of runs) {
        for (const range of run.ranges) {
          const within = numbers.filter(number => number >= range.from && number <= range.to && !found.has(number))
          const body = within.length === 0 ? null : await bodyOf(run, range)
          for (const number of within) {
            const header = body?.byNumber.get(number)
            if (header !== undefined) found.set(number, header)
          }
        }
      }
      return found
    },
  }
}

async function readBody(db: Queryable, run: KeptRun, from: number): Promise<Body | null> {
  const packed = await readKeptBody(db, run.id, from)
  if (packed === null) return null
  const body = await unpackLogs(packed)
  return { ...body, byNumber: new Map(body.headers.map(header => [header.number, header])) }
}

/** The ranges of a run up to the last one that ends with a block of the chain. Each range follows the one before it by its hash. */
async function onChain(source: KeptReaderOptions['source'], { ranges }: KeptRun): Promise<readonly KeptRange[]> {
  let [known, unknown] = [0, ranges.length]
  // The last one first: most often it is on the chain, and then all are.
  for (let next = unknown; known < unknown; next = Math.ceil((known + unknown) / 2)) {
    const range = ranges[next - 1]
    if (range !== undefined && (await isOnChain(source, range))) known = next
    else unknown = next - 1
  }
  return ranges.slice(0, known)
}

async function isOnChain(source: KeptReaderOptions['source'], { to, hash }: KeptRange): Promise<boolean> {
  try {
    return (await source.header(to)).hash === hash
  } catch (error) {
    // The chain may be shorter.
    if (faultOf(error)?.kind !== 'missing') throw error
    return false
  }
}
