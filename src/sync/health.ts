import type { ChainTip } from '#chain/chainTips.ts'
import { afterPoll, INITIAL_POLL_SCHEDULE, type PollSchedule } from '#chain/heads.ts'
import type { BlockHeader } from '#domain/block.ts'
import { formatUnits } from '#domain/decimal.ts'
import { hasCode, messageOf, TokenwireError } from '#errors'
import type { BackfillProgress, ChainView, IndexerState, ReorgStats, RpcHealth } from '#resources/health.ts'
import { faultKindSentence, RpcError } from '#rpc/rpcFault.ts'
import { databaseCause } from '#store/connection/databaseErrors.ts'
import type { Action, SyncBounds, SyncEvent } from './state.ts'

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

interface Trouble extends Cause {
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
function lagOf(
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

/** What the report depends on besides the events. */
export interface ReportInput {
  readonly nowMs: number
  readonly startedAtMs: number
  /** When any provider last answered anything; `null`: none yet. */
  readonly lastAnswerAtMs: number | null
  readonly rpc: readonly RpcHealth[]
  /** What of the chain can not be verified. */
  readonly warnings: readonly string[]
  /** Why providers are not healthy, with what they said. */
  readonly troubles: readonly string[]
  readonly startBlock: number
}

/** When no provider has answered, or shown the end of the chain, for this long, it is not known how far behind the index is. */
const SILENT_AFTER_MS = 30_000
/** Indexing is stalled when nothing was indexed for this long though there is something to index. A range takes longer than a block. */
const STALLED_AFTER_MS = 60_000
const BACKFILL_STALLED_AFTER_MS = 300_000
/** A chain whose head is the same for this long, and for this many block times, stands still. */
const STILL_AFTER_MS = 120_000
const STILL_AFTER_BLOCKS = 30

/** The state of indexing at `input.nowMs` (monotonic). */
export function reportState(health: SyncHealth, input: ReportInput): IndexerState {
  const { nowMs, startedAtMs, lastAnswerAtMs, rpc, warnings, troubles, startBlock } = input
  const silentMs = nowMs - Math.max(lastAnswerAtMs ?? startedAtMs, startedAtMs)
  const noTipMs = health.noTipSinceMs === null ? 0 : nowMs - health.noTipSinceMs
  const isKnown = Math.max(silentMs, noTipMs) <= SILENT_AFTER_MS
  const lag = isKnown ? lagOf(health, startBlock) : null
  const stillMs = isKnown && health.headSinceMs !== null ? nowMs - health.headSinceMs : null
  const stall = stallOf(health, { nowMs, silentMs, noTipMs }, rpc)
  return {
    headBlock: health.tip?.head.number ?? null,
    confirmedBlock: health.tip?.confirmed.number ?? null,
    indexedBlock: health.indexed?.number ?? null,
    lagBlocks: lag?.blocks ?? null,
    lagSeconds: lag?.seconds ?? null,
    headUnchangedSeconds: stillMs === null ? null : Math.floor(stillMs / 1_000),
    backfill: health.backfill === null ? null : progressOf(health.backfill, startBlock),
    launchpads: [],
    reorgs: health.reorgs,
    rpc,
    stalled: stall !== null,
    reason: stall ?? worstTrouble(health)?.shown ?? noTipReason(noTipMs, rpc) ?? standstill(health, stillMs),
    problems: [],
    warnings: health.fallingAt === null ? warnings : [...warnings, fallingTimes(health.fallingAt)],
    details: detailsOf(health, troubles),
  }
}

/** The head and its base fee in gwei, and milliseconds per block; each `null` while unknown. */
export function reportChain({ tip, heads }: SyncHealth): ChainView {
  const head = tip?.head
  return {
    headBlock: head?.number ?? null,
    blockTimeMs: averageBlockTimeMs(heads),
    baseFeeGwei: head === undefined || head.baseFeeWei === null ? null : formatUnits(head.baseFeeWei, 9),
  }
}

interface Silence {
  readonly nowMs: number
  readonly silentMs: number
  readonly noTipMs: number
}

/** Why nothing is indexed though it should be, or `null`. A chain that stands still stalls nothing. */
function stallOf(health: SyncHealth, { nowMs, silentMs, noTipMs }: Silence, rpc: readonly RpcHealth[]): string | null {
  if (health.stopped !== null) return health.stopped.shown
  if (silentMs > SILENT_AFTER_MS) return `no RPC provider has answered for ${seconds(silentMs)}${causes(rpc)}`
  // The index may be hours behind by now: its lag is not known.
  if (noTipMs > SILENT_AFTER_MS) return noTipReason(noTipMs, rpc)
  const trouble = worstTrouble(health)
  const troubleMs = trouble === null ? 0 : nowMs - trouble.sinceMs
  const idleMs = health.laggingSinceMs === null ? 0 : nowMs - Math.max(health.laggingSinceMs, health.indexedAtMs ?? 0)
  const allowedMs = health.backfill === null ? STALLED_AFTER_MS : BACKFILL_STALLED_AFTER_MS
  if (Math.max(troubleMs, idleMs) <= allowedMs) return null
  return trouble?.shown ?? `nothing has been indexed for ${seconds(idleMs)}`
}

function noTipReason(noTipMs: number, rpc: readonly RpcHealth[]): string | null {
  return noTipMs > SILENT_AFTER_MS ? `no RPC provider has shown the chain's end for ${seconds(noTipMs)}${causes(rpc)}` : null
}

export function fallingTimes(block: number): string {
  return `the times of this chain's blocks fall, first seen at block ${block}: trades and candles have the times of their blocks, windows end at the latest time`
}

/** Why providers are not healthy, by kind. */
function causes(rpc: readonly RpcHealth[]): string {
  const known = rpc.flatMap(({ name, cause }) => (cause === null ? [] : [`${name}: ${cause}`]))
  return known.length === 0 ? '' : ` (${known.join('; ')})`
}

/** All causes of trouble, each once. */
function detailsOf({ stopped, trouble }: SyncHealth, troubles: readonly string[]): readonly string[] {
  return [...new Set([...[stopped, trouble.indexing, trouble.chain].flatMap(cause => (cause === null ? [] : [cause.full])), ...troubles])]
}

/** Trouble with indexing says more: trouble with the chain leads to it. */
function worstTrouble({ trouble }: SyncHealth): Trouble | null {
  return trouble.indexing ?? trouble.chain
}

/** The sentence for a chain that does not move though providers answer; otherwise `null`. */
function standstill({ tip, heads }: SyncHealth, stillMs: number | null): string | null {
  const allowedMs = Math.max(STILL_AFTER_MS, STILL_AFTER_BLOCKS * (averageBlockTimeMs(heads) ?? 0))
  if (tip === null || stillMs === null || stillMs <= allowedMs) return null
  return `the chain stands still: the providers answer, and block ${tip.head.number} has been the newest for ${seconds(stillMs)}`
}

function seconds(ms: number): string {
  return `${Math.floor(ms / 1_000)} s`
}

/** A backfill under way. */
export interface Backfill {
  readonly startedAtMs: number
  /** The last block that is fetched in ranges; moves with the chain. */
  readonly target: number
  /** Logs indexed since it started. */
  readonly logs: number
  /** The samples of the last half minute, oldest first. */
  readonly samples: readonly ProgressSample[]
}

/** How far a backfill had come at one time. */
interface ProgressSample {
  readonly atMs: number
  /** The cursor. */
  readonly block: number
  readonly logs: number
}

const WINDOW_MS = 30_000
const MAX_SAMPLES = 64

/** @param cursor everything up to this block is indexed */
export function startBackfill(cursor: number, target: number, atMs: number): Backfill {
  return { startedAtMs: atMs, target, logs: 0, samples: [{ atMs, block: cursor, logs: 0 }] }
}

/** After the commit of a range that ends with `block`. Rates are counted from the newest sample that is older than half a minute. */
export function afterRange(backfill: Backfill, block: number, logs: number, atMs: number): Backfill {
  const total = backfill.logs + logs
  const all = [...backfill.samples, { atMs, block, logs: total }]
  const recent = all.findIndex(sample => sample.atMs >= atMs - WINDOW_MS)
  return { ...backfill, logs: total, samples: all.slice(Math.max(0, recent - 1)).slice(-MAX_SAMPLES) }
}

/** @param startBlock the first block that is indexed: the percentage is of the whole history, also after a restart */
export function progressOf({ samples, target }: Backfill, startBlock: number): BackfillProgress {
  const first = samples[0]
  const last = samples.at(-1)
  const block = last?.block ?? startBlock - 1
  const seconds = first === undefined || last === undefined ? 0 : (last.atMs - first.atMs) / 1_000
  const blocksPerSecond = seconds > 0 && first !== undefined ? (block - first.block) / seconds : 0
  const logsPerSecond = seconds > 0 && first !== undefined && last !== undefined ? (last.logs - first.logs) / seconds : 0
  const total = target - startBlock + 1
  const left = Math.max(0, target - block)
  return {
    fromBlock: String(startBlock),
    toBlock: String(target),
    currentBlock: String(Math.max(block, startBlock - 1, 0)),
    percent: total <= 0 ? 100 : Math.min(100, Math.max(0, Math.floor(((block - startBlock + 1) / total) * 1_000) / 10)),
    blocksPerSecond: Math.round(blocksPerSecond * 10) / 10,
    eventsPerSecond: Math.round(logsPerSecond * 10) / 10,
    secondsLeft: blocksPerSecond > 0 ? Math.ceil(left / blocksPerSecond) : null,
  }
}

/** Why a step failed. */
export interface Cause {
  /** For clients: only words and numbers of this service, since a provider or a database may quote a request with its secrets. */
  readonly shown: string
  /** For operators, with the words of the provider or database; to be redacted before it leaves the thread. */
  readonly full: string
}

/** A cause without words of a provider or database. */
export function inOwnWords(sentence: string): Cause {
  return { shown: sentence, full: sentence }
}

/** Why a step failed, for clients and for operators. */
export function causeOf(error: unknown): Cause {
  const ofDatabase = databaseCause(error)
  if (ofDatabase !== null) return ofDatabase
  return { shown: shownOf(error), full: messageOf(error) }
}

function shownOf(error: unknown): string {
  if (error instanceof RpcError) return `${error.provider ?? 'rpc'}: ${faultKindSentence(error.fault)}`
  if (!(error instanceof TokenwireError)) return 'a step of indexing failed; the log has the error'
  switch (error.code) {
    case 'reorg_too_deep':
      // Counts and heights of the index itself.
      return error.message
    case 'database_unavailable':
      return 'the database can not be used'
    case 'database_taken':
      return 'another Tokenwire indexes into this database'
    case 'rpc_inconsistent':
      return 'what the chain shows does not follow what is indexed'
    default:
      return 'a step of indexing failed; the log has the error'
  }
}
