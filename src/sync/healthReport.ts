import { formatUnits } from '#domain/decimal.ts'
import type { RpcHealth } from '#resources/health.ts'
import type { IndexerState } from '#resources/indexerState.ts'
import { progressOf } from './backfillProgress.ts'
import { averageBlockTimeMs, lagOf, type SyncHealth, type Trouble } from './health.ts'

/** What synchronisation reports about itself and the chain. Never waits. */
export interface SyncView {
  state(): IndexerState
  /** The head, milliseconds per block over the recent chain, and the head's base fee; each `null` while unknown. */
  chain(): ChainView
}

export interface ChainView {
  readonly headBlock: number | null
  readonly blockTimeMs: number | null
  readonly baseFeeGwei: string | null
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
    reorgs: health.reorgs,
    rpc,
    stalled: stall !== null,
    reason: stall ?? worstTrouble(health)?.shown ?? noTipReason(noTipMs, rpc) ?? standstill(health, stillMs),
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
