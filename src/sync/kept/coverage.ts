import type { Hex } from '#domain/address.ts'
import type { KeptRange, KeptRun } from '#store/keptLogs/keptRanges.ts'
import { compareFilters, type KeptFilter, type KeyedFilter } from './keptFilter.ts'

/** The logs of a filter in some blocks, both ends inclusive. */
export interface LogPiece extends KeyedFilter {
  readonly from: number
  readonly to: number
}

/** Logs of a kept range that are wanted: those of the filter and the keys in these blocks. */
export interface CoveredPiece extends LogPiece {
  readonly run: KeptRun
  readonly range: KeptRange
}

export interface Coverage {
  readonly covered: readonly CoveredPiece[]
  /** What has to be asked for. Never overlaps with what is covered. */
  readonly missing: readonly LogPiece[]
}

/** A run with its filter as parsed. */
export interface UsableRun extends KeptRun {
  readonly parsed: KeptFilter
}

/**
 * What of a piece is kept. Every log that matches the piece is in exactly one of the parts.
 *
 * @param since the first block whose logs matter, for keys that are announced within the blocks
 */
export function coverPiece(piece: LogPiece, runs: readonly UsableRun[], since: ReadonlyMap<Hex, number>): Coverage {
  const covered: CoveredPiece[] = []
  let missing: readonly LogPiece[] = [piece]
  for (const run of runs) {
    for (const range of run.ranges) {
      if (range.to < piece.from || range.from > piece.to) continue
      missing = missing.flatMap(part => {
        const cut = cutPiece(part, run, range, since)
        if (cut === null) return [part]
        covered.push(cut.covered)
        return cut.missing
      })
    }
  }
  return { covered, missing }
}

/** `null`: the range has nothing of it. */
function cutPiece(
  piece: LogPiece,
  run: UsableRun,
  range: KeptRange,
  since: ReadonlyMap<Hex, number>,
): { readonly covered: CoveredPiece; readonly missing: readonly LogPiece[] } | null {
  const from = Math.max(piece.from, range.from)
  const to = Math.min(piece.to, range.to)
  const compared = from > to ? null : compareFilters(piece.filter, run.parsed)
  if (compared === null) return null
  const hasKeys = piece.filter.kind === 'addresses' || piece.filter.grows
  const isKept = (key: Hex) => {
    const needed = Math.max(from, since.get(key) ?? from)
    return needed > to || (run.keys.get(key) ?? Number.POSITIVE_INFINITY) <= needed
  }
  const [kept, others] = hasKeys ? partition(piece.keys, isKept) : [piece.keys, NO_KEYS]
  if (hasKeys && kept.size === 0) return null
  const parts: readonly (LogPiece | null)[] = [
    piece.from < from ? { ...piece, to: from - 1 } : null,
    others.size > 0 ? { ...piece, from, to, keys: others } : null,
    compared.lacking === null ? null : { ...piece, from, to, keys: kept, filter: compared.lacking },
    piece.to > to ? { ...piece, from: to + 1 } : null,
  ]
  return {
    covered: { ...piece, from, to, keys: kept, filter: compared.common, run, range },
    missing: parts.filter(part => part !== null),
  }
}

const NO_KEYS: ReadonlySet<Hex> = new Set()

/** The keys that pass and those that do not. `keys` itself is returned where all pass: most often they do. */
function partition(keys: ReadonlySet<Hex>, test: (key: Hex) => boolean): readonly [ReadonlySet<Hex>, ReadonlySet<Hex>] {
  const others = new Set<Hex>()
  for (const key of keys) if (!test(key)) others.add(key)
  if (others.size === 0) return [keys, others]
  return [new Set([...keys].filter(key => !others.has(key))), others]
}
