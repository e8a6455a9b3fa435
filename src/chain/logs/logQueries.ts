import type { LogFilter } from '#rpc/rpcCalls.ts'
import { listedInParts, opened, widthInParts, widthOf } from './logFilter.ts'

/**
 * How a filter is asked for: with its long list, in as many parts as the provider's limit asks for; or without it, which is one query whatever
 * the list's length and brings logs that nobody wants.
 */
export type LogWay = 'named' | 'open'

/** One query: a part of a filter, in some blocks, both ends inclusive. */
export interface LogPiece {
  readonly from: number
  readonly to: number
  readonly way: LogWay
  /** What is wanted. */
  readonly filter: LogFilter
}

/** The size of a query: blocks, and entries of a list. */
export interface PieceSize {
  readonly blocks: number
  readonly width: number
}

/** What the provider is asked: the filter, without its long list where the piece is open. */
export function askedOf({ filter, way }: LogPiece): LogFilter {
  return way === 'named' ? filter : (opened(filter) ?? filter)
}

export function spanOf({ from, to }: Pick<LogPiece, 'from' | 'to'>): number {
  return to - from + 1
}

/** Pieces of at most that size, ascending by block. */
export function cutPiece(piece: LogPiece, { blocks, width }: PieceSize): LogPiece[] {
  return inStretches(piece, blocks, piece.way === 'open' ? [piece.filter] : listedInParts(piece.filter, width))
}

function inStretches(piece: LogPiece, blocks: number, filters: readonly LogFilter[]): LogPiece[] {
  const parts: LogPiece[] = []
  for (let from = piece.from; from <= piece.to; from += blocks) {
    const to = Math.min(piece.to, from + blocks - 1)
    for (const filter of filters) parts.push({ ...piece, from, to, filter })
  }
  return parts
}

/**
 * Smaller pieces after a refusal: as the limits now say, or halves when the piece is within them already, by blocks while it has several. A
 * block that is too much without the list is asked for with it.
 *
 * @param sizes what the limits now say of each way
 * @returns the piece alone when it can't be smaller
 */
export function splitPiece(piece: LogPiece, sizes: Readonly<Record<LogWay, PieceSize>>): readonly LogPiece[] {
  const { blocks, width } = sizes[piece.way]
  const half = Math.ceil(spanOf(piece) / 2)
  const { filter } = piece
  if (piece.way === 'open') {
    if (spanOf(piece) === 1) return named(piece, sizes)
    return inStretches(piece, Math.min(blocks, half), [filter])
  }
  const listed = widthOf(filter)
  if (spanOf(piece) > blocks || listed > width) return inStretches(piece, blocks, widthInParts(filter, width))
  if (spanOf(piece) > 1) return inStretches(piece, half, [filter])
  return inStretches(piece, 1, widthInParts(filter, Math.max(1, Math.ceil(listed / 2))))
}

/** The same with its list. */
export function named(piece: LogPiece, sizes: Readonly<Record<LogWay, PieceSize>>): readonly LogPiece[] {
  return cutPiece({ ...piece, way: 'named' }, sizes.named)
}

/** How the next blocks of a filter are to be asked for. */
export interface NextRun extends PieceSize {
  readonly way: LogWay
}

export interface LogPlan {
  /** The next piece, or `null`. When `enough` is there, only what was begun is completed: every filter as far as the furthest one. */
  next(enough: boolean): LogPiece | null
  /** The last block up to which the pieces given out cover all filters. */
  reached(): number
}

export interface LogPlanOptions {
  readonly from: number
  readonly to: number
  readonly filters: readonly LogFilter[]
  /** Asked before each run of blocks, with what is then known; `blocks` are left of the range. */
  choose(filter: LogFilter, blocks: number): NextRun
}

/** Gives out the pieces of a query about in the order of blocks: always of the filter that has come least far. */
export function createLogPlan({ from, to, filters, choose }: LogPlanOptions): LogPlan {
  const tracks = filters.map(filter => ({ filter, next: from }))
  let run: LogPiece[] = []
  const begin = (goal: number): LogPiece[] => {
    const track = tracks.reduce((least, one) => (one.next < least.next ? one : least))
    if (track.next > goal) return []
    const { way, ...size } = choose(track.filter, goal - track.next + 1)
    const piece = { from: track.next, to: Math.min(goal, track.next + size.blocks - 1), way, filter: track.filter }
    track.next = piece.to + 1
    return cutPiece(piece, size)
  }
  return {
    next: enough => {
      if (run.length === 0) run = begin(enough ? Math.max(...tracks.map(({ next }) => next)) - 1 : to)
      return run.shift() ?? null
    },
    reached: () => Math.min(...tracks.map(({ next }) => next)) - 1,
  }
}
