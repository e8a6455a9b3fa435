import type { RangeLimit } from '#rpc/rangeLimit.ts'
import type { LogFilter } from '#rpc/rpcCalls.ts'
import { longLength, opened, widthOf } from './logFilter.ts'
import { type LogPiece, type LogWay, type NextRun, type PieceSize, spanOf } from './logQueries.ts'
import { afterAnsweredRange, afterRefusedRange, type RangeSize, UNLIMITED_RANGE } from './rangeSize.ts'

/** What one answer to a piece held. */
export interface AnsweredLogs {
  /** All logs of the answer. */
  readonly all: number
  /** Those that are wanted. */
  readonly kept: number
}

/**
 * How much of the chain to ask for in one query of logs, and which way: learned from answers and refusals. Limits are a provider's, what
 * blocks hold is the chain's.
 */
export interface LogWays {
  /** How to ask for the next of so many blocks. Of an open way of which too little is known, a few blocks: they tell. */
  choose(provider: string, filter: LogFilter, blocks: number): NextRun
  /** What the limits say now, for pieces that were refused. */
  sizes(provider: string, filter: LogFilter): Readonly<Record<LogWay, PieceSize>>
  answered(provider: string, piece: LogPiece, logs: AnsweredLogs): void
  refused(provider: string, piece: LogPiece, limit: RangeLimit): void
  /** The provider fails at this piece without its list, whatever the reason: it is left alone with such for a while. */
  closed(provider: string, piece: LogPiece): void
  /** How many blocks the provider allows at once, asked with addresses. */
  blocksAtOnce(provider: string): number
}

/**
 * Logs per answer to aim for, below what providers refuse: an answer is parsed in one go, and so much of it is 10 ms in which nothing else happens.
 */
const LOGS_PER_ANSWER = 2_000
/** The density of the chain that was learned fades by so much with every answer that shows less. */
const DENSITY_KEPT = 0.8
/** What a query costs beside its logs, in logs: the provider's price and the way there. Half of a full answer. */
const QUERY_IN_LOGS = LOGS_PER_ANSWER / 2
/** So much of the chain has to be seen without the list before it is known what that brings. */
const KNOWN_BLOCKS = 16
const KNOWN_LOGS = LOGS_PER_ANSWER / 4
const FIRST_OPEN_BLOCKS = 4
/** An answer without the list may be of so many times the blocks of the largest one before: a quiet stretch must not lead to a giant answer. */
const OPEN_GROWTH = 4
/** After so many runs with the list it is looked again what there would be without it, and whether a provider that failed at that still does. */
const LOOK_AGAIN_RUNS = 16
const CLOSED_RUNS = 64

/** Logs per block in the fullest of the last answers. */
interface Density {
  readonly all: number
  readonly foreign: number
}

interface OpenKnown {
  readonly density: Density
  readonly blocks: number
  readonly logs: number
  /** Runs with the list since. */
  readonly age: number
}

/** What was learned of one provider. */
interface ProviderLimits {
  named: RangeSize
  width: number
  /** By the filter without its list. */
  readonly open: Map<string, RangeSize>
  /** How many more runs are asked for with the list, by the filter without it. */
  readonly closed: Map<string, number>
}

const NOTHING: Density = { all: 0, foreign: 0 }
const UNKNOWN: OpenKnown = { density: NOTHING, blocks: 0, logs: 0, age: 0 }

/** @param mostListed a list that is longer is asked for in parts: geth refuses more addresses, and more topics of one position */
export function createLogWays(mostListed: number): LogWays {
  const limits = new Map<string, ProviderLimits>()
  const limitsOf = (provider: string): ProviderLimits => {
    const known = limits.get(provider) ?? { named: UNLIMITED_RANGE, width: mostListed, open: new Map(), closed: new Map() }
    limits.set(provider, known)
    return known
  }
  let named = NOTHING
  const open = new Map<string, OpenKnown>()

  const openSize = (provider: string, key: string): RangeSize => limitsOf(provider).open.get(key) ?? UNLIMITED_RANGE
  const sizes = (provider: string, filter: LogFilter): Readonly<Record<LogWay, PieceSize>> => {
    const key = keyOf(filter)
    const { width, named: range } = limitsOf(provider)
    const { density } = open.get(key) ?? UNKNOWN
    const { blocks, worked } = openSize(provider, key)
    return {
      named: { blocks: fitting(range.blocks, named.all), width },
      open: { blocks: fitting(Math.min(blocks, Math.max(FIRST_OPEN_BLOCKS, worked * OPEN_GROWTH)), density.all), width },
    }
  }

  /** Whether the filter may be asked for without its list now; counts the times that it may not. */
  const isOpen = (provider: string, key: string): boolean => {
    const { closed } = limitsOf(provider)
    const left = closed.get(key) ?? 0
    if (left > 0) closed.set(key, left - 1)
    return left === 0
  }

  return {
    sizes,
    choose: (provider, filter, blocks) => {
      const bySize = sizes(provider, filter)
      const parts = Math.ceil(longLength(filter) / bySize.named.width)
      const key = keyOf(filter)
      if (parts < 2 || opened(filter) === null || !isOpen(provider, key)) return { way: 'named', ...bySize.named }
      const known = open.get(key) ?? UNKNOWN
      const isKnown = known.blocks >= KNOWN_BLOCKS || known.logs >= KNOWN_LOGS
      const costs = {
        named: parts * Math.ceil(blocks / bySize.named.blocks) * QUERY_IN_LOGS,
        open: Math.ceil(blocks / bySize.open.blocks) * QUERY_IN_LOGS + blocks * known.density.foreign,
      }
      const way = !isKnown || known.age >= LOOK_AGAIN_RUNS || costs.open < costs.named ? 'open' : 'named'
      // It is looked once: the answer to this run makes it known anew.
      open.set(key, { ...known, age: way === 'open' ? 0 : known.age + 1 })
      return { way, ...bySize[way] }
    },
    answered: (provider, piece, { all, kept }) => {
      const span = spanOf(piece)
      const known = limitsOf(provider)
      const seen = { all: all / span, foreign: (all - kept) / span }
      if (piece.way === 'named') {
        known.named = afterAnsweredRange(known.named, span)
        named = faded(named, seen)
        return
      }
      const key = keyOf(piece.filter)
      known.open.set(key, afterAnsweredRange(openSize(provider, key), span))
      const { density, blocks, logs, age } = open.get(key) ?? UNKNOWN
      open.set(key, { density: faded(density, seen), blocks: blocks + span, logs: logs + all, age })
    },
    refused: (provider, piece, limit) => {
      const known = limitsOf(provider)
      const span = spanOf(piece)
      const key = keyOf(piece.filter)
      if (piece.way === 'open') known.open.set(key, afterRefusedRange(openSize(provider, key), span, limit))
      else if (limit.kind === 'addresses') known.width = narrower(known.width, widthOf(piece.filter), limit.max)
      else known.named = afterRefusedRange(known.named, span, limit)
    },
    closed: (provider, piece) => void limitsOf(provider).closed.set(keyOf(piece.filter), CLOSED_RUNS),
    blocksAtOnce: provider => limitsOf(provider).named.blocks,
  }
}

/** Names what a filter asks for without its list. */
function keyOf(filter: LogFilter): string {
  return JSON.stringify(opened(filter))
}

function fitting(blocks: number, density: number): number {
  return density === 0 ? blocks : Math.max(1, Math.min(blocks, Math.ceil(LOGS_PER_ANSWER / density)))
}

function faded(known: Density, seen: Density): Density {
  return { all: Math.max(seen.all, known.all * DENSITY_KEPT), foreign: Math.max(seen.foreign, known.foreign * DENSITY_KEPT) }
}

/** @param max what the provider says, if it does */
function narrower(known: number, asked: number, max: number | null): number {
  return Math.max(1, Math.min(known, max !== null && max < asked ? max : Math.ceil(asked / 2)))
}
