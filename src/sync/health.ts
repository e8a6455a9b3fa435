import type { ChainTip } from '#chain/chainTips.ts'
import { afterPoll, INITIAL_POLL_SCHEDULE, type PollSchedule } from '#chain/pollSchedule.ts'
import type { BlockHeader } from '#domain/block.ts'
import { hasCode, TokenwireError } from '#errors'
import type { ReorgStats } from '#resources/health.ts'
import { afterRange, type Backfill, startBackfill } from './backfillProgress.ts'
import { type Cause, causeOf, inOwnWords } from './causeOf.ts'
import type { SyncBounds } from './state.ts'
import type { Action, SyncEvent } from './step.ts'

/** How synchronisation is doing. It follows from events alone; `healthReport.ts` makes a status of it at a given time. */
export interface SyncHealth {
  readonly tip: ChainTip | null
  /** Since when the head is the same. */
  readonly headSinceMs: number | null
  /** Since when no provider has shown a tip though one was asked for; `null`: the last poll has shown one. */
  readonly noTipSinceMs: number | null
  /** The newest heads, ascending: the block time is their average. */
  readonly heads: readonly Pick<BlockHeader, 'number' | 'timestamp'>[]
  readonly polls: PollSchedule
  /** The cursor; `null`: nothing is indexed. `undefined`: not read from the database yet. */
  readonly indexed: Pick<BlockHeader, 'number' | 'timestamp'> | null | undefined
  readonly indexedAtMs: number | null
  /** Since when there is a confirmed block that is not indexed; `null`: there is none. */
  readonly laggingSinceMs: number | null
  readonly backfill: Backfill | null
  /** What prevents seeing the end of the chain, and what prevents indexing. */
  readonly trouble: { readonly chain: Trouble | null; readonly indexing: Trouble | null }
  /** Why indexing has ended, for good or until the chain has the indexed blocks again. */
  readonly stopped: Cause | null
  /** The hash of the cursor at which a reorg was too deep: each retry finds the same reorg again, which counts once. */
  readonly tooDeepReorgAt: unknown
  /** Failures in a row: since the last commit or wait. */
  readonly failures: number
  /** Failures in a row to see the end of the chain. */
  readonly failedPolls: number
  readonly reorgs: ReorgStats
  /** The first block that was seen to have an earlier time than the block before it; `null`: none was. */
  readonly fallingAt: number | null
}

export interface Trouble extends Cause {
  readonly sinceMs: number
}

export const UNKNOWN_HEALTH: SyncHealth = {
  tip: null,
  headSinceMs: null,
  noTipSinceMs: null,
  heads: [],
  polls: INITIAL_POLL_SCHEDULE,
  indexed: undefined,
  indexedAtMs: null,
  laggingSinceMs: null,
  backfill: null,
  trouble: { chain: null, indexing: null },
  stopped: null,
  tooDeepReorgAt: null,
  failures: 0,
  failedPolls: 0,
  reorgs: { count: 0, lastDepth: null, lastAt: null },
  fallingAt: null,
}

/** Heads over which the block time is averaged. */
const HEADS_KEPT = 32

/** The health after an event. */
export function afterHealthEvent(health: SyncHealth, event: SyncEvent, atMs: number, bounds: SyncBounds): SyncHealth {
  const next = reduce(health, event, atMs, bounds)
  const isLagging = (lagOf(next, bounds.startBlock)?.blocks ?? 0) > 0
  return { ...next, laggingSinceMs: isLagging ? (next.laggingSinceMs ?? atMs) : null }
}

function reduce(health: SyncHealth, event: SyncEvent, atMs: number, bounds: SyncBounds): SyncHealth {
  switch (event.kind) {
    case 'polling':
      return { ...health, noTipSinceMs: health.noTipSinceMs ?? atMs }
    case 'tip':
      return afterTip(health, event.tip, atMs)
    case 'tipFailed':
      return withTrouble({ ...afterPollOf(health, null), failedPolls: health.failedPolls + 1 }, 'chain', causeOf(event.error), atMs)
    case 'decided':
      return afterDecision(health, event.action, event.tip, atMs, bounds)
    case 'cursorRead':
      return indexedUpTo(withBlocks(health, event.blocks), event.blocks.at(-1) ?? null, atMs)
    case 'committed':
      return afterCommit(withFallingTimes(withBlocks(health, event.blocks), event.blocks), event, atMs)
    case 'failed':
      return afterFailure(health, event.error, atMs)
    case 'gaveUp':
      return { ...health, stopped: causeOf(event.error) }
    case 'commitFailed':
    case 'cursorCompared':
    case 'tipVerified':
    case 'startVerified':
    case 'forked':
      return health
  }
}

function afterTip(health: SyncHealth, tip: ChainTip, atMs: number): SyncHealth {
  let { heads } = health
  for (const header of [tip.confirmed, tip.head])
    if (header.number > (heads.at(-1)?.number ?? -1)) heads = [...heads, header].slice(-HEADS_KEPT)
  const headSinceMs = tip.head.hash === health.tip?.head.hash ? health.headSinceMs : atMs
  const polled = afterPollOf({ ...health, heads }, tip.head.number)
  return withTrouble({ ...polled, tip, headSinceMs, noTipSinceMs: null, failedPolls: 0 }, 'chain', null, atMs)
}

/** Until a second head is seen, the indexed blocks give the block time: a chain that stands still never shows a second head. */
function withBlocks(health: SyncHealth, blocks: readonly BlockHeader[]): SyncHealth {
  if (averageBlockTimeMs(health.heads) !== null) return health
  const known = new Map([...blocks, ...health.heads].map(header => [header.number, header]))
  return { ...health, heads: [...known.values()].sort((a, b) => a.number - b.number).slice(-HEADS_KEPT) }
}

/** Blocks are proven by their hashes, or shown by all providers: the times are the chain's. */
function withFallingTimes(health: SyncHealth, blocks: readonly BlockHeader[]): SyncHealth {
  if (health.fallingAt !== null) return health
  const fallen = [...(health.indexed ? [health.indexed] : []), ...blocks].find(({ number, timestamp }, index, all) => {
    const before = all[index - 1]
    return before !== undefined && before.number < number && before.timestamp > timestamp
  })
  return fallen === undefined ? health : { ...health, fallingAt: fallen.number }
}

function afterPollOf(health: SyncHealth, head: number | null): SyncHealth {
  return { ...health, polls: afterPoll(health.polls, head, averageBlockTimeMs(health.heads)) }
}

function afterDecision(health: SyncHealth, action: Action, tip: ChainTip, atMs: number, bounds: SyncBounds): SyncHealth {
  switch (action.kind) {
    case 'index': {
      if (action.span.mode !== 'range') return { ...health, backfill: null }
      const target = tip.confirmed.number - bounds.followBlocks
      return { ...health, backfill: { ...(health.backfill ?? startBackfill(action.span.from - 1, target, atMs)), target } }
    }
    case 'wait': {
      const indexed = health.indexed?.number
      const shorter = action.because === 'chainIsShorter'
      const cause = shorter ? inOwnWords(`block ${indexed} is indexed, but the chain ends at block ${tip.head.number}`) : null
      return withTrouble({ ...health, backfill: null, stopped: null, failures: 0 }, 'indexing', cause, atMs)
    }
    case 'replaceBlocks':
    case 'settle':
      return { ...health, backfill: null }
    case 'readCursor':
    case 'repeatCommit':
    case 'compareCursor':
    case 'verifyTip':
    case 'verifyStart':
      return health
  }
}

function afterCommit(health: SyncHealth, { commit }: Extract<SyncEvent, { kind: 'committed' }>, atMs: number): SyncHealth {
  const indexed = withTrouble({ ...indexedUpTo(health, commit.to, atMs), stopped: null, failures: 0 }, 'indexing', null, atMs)
  switch (commit.kind) {
    case 'batch': {
      const { backfill } = indexed
      if (backfill === null) return indexed
      return { ...indexed, backfill: afterRange(backfill, commit.to.number, commit.batch.logCount, atMs) }
    }
    case 'replace':
      return { ...indexed, reorgs: withReorg(indexed.reorgs, commit.depth, atMs) }
    case 'settle':
      return indexed
  }
}

function afterFailure(health: SyncHealth, error: unknown, atMs: number): SyncHealth {
  const cause = causeOf(error)
  const troubled = withTrouble({ ...health, failures: health.failures + 1 }, 'indexing', cause, atMs)
  if (!(error instanceof TokenwireError) || !hasCode(error, 'reorg_too_deep')) return troubled
  const { depth, cursorHash } = error.details
  const isNew = cursorHash !== health.tooDeepReorgAt && typeof depth === 'number'
  const reorgs = isNew ? withReorg(health.reorgs, depth, atMs) : health.reorgs
  return { ...troubled, stopped: cause, tooDeepReorgAt: cursorHash, reorgs }
}

function withReorg({ count }: ReorgStats, depth: number, atMs: number): ReorgStats {
  return { count: count + 1, lastDepth: depth, lastAt: new Date(atMs).toISOString() }
}

/** Reading an unchanged cursor, as after every failure, is no progress. */
function indexedUpTo(health: SyncHealth, indexed: Exclude<SyncHealth['indexed'], undefined>, atMs: number): SyncHealth {
  const moved = indexed?.number !== health.indexed?.number
  return { ...health, indexed, indexedAtMs: moved ? atMs : health.indexedAtMs }
}

function withTrouble(health: SyncHealth, place: keyof SyncHealth['trouble'], cause: Cause | null, atMs: number): SyncHealth {
  const trouble = cause === null ? null : { ...cause, sinceMs: health.trouble[place]?.sinceMs ?? atMs }
  return { ...health, trouble: { ...health.trouble, [place]: trouble } }
}

/**
 * How far the index is behind the confirmed chain: in blocks, and in seconds of chain time between the newest indexed and the newest
 * confirmed block. Chain time, not this machine's clock: a chain that stands still adds no lag, nor does a wrong clock.
 */
export function lagOf(
  { tip, indexed }: Pick<SyncHealth, 'tip' | 'indexed'>,
  startBlock: number,
): { readonly blocks: number; readonly seconds: number | null } | null {
  if (tip === null || indexed === undefined) return null
  if (indexed === null) return { blocks: Math.max(0, tip.confirmed.number - startBlock + 1), seconds: null }
  const blocks = Math.max(0, tip.confirmed.number - indexed.number)
  return { blocks, seconds: blocks === 0 ? 0 : Math.max(0, tip.confirmed.timestamp - indexed.timestamp) }
}

/** Milliseconds per block over the last heads, by their timestamps; `null` before the second one. */
export function averageBlockTimeMs(heads: SyncHealth['heads']): number | null {
  const first = heads[0]
  const last = heads.at(-1)
  if (first === undefined || last === undefined || last.number === first.number) return null
  return Math.round((Math.max(0, last.timestamp - first.timestamp) * 1_000) / (last.number - first.number))
}
