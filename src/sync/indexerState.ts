import type { ChainTip } from '#chain/chainTips.ts'
import type { BlockHeader } from '#domain/block.ts'
import { formatUnits } from '#domain/decimal.ts'
import type { BackfillProgress, IndexerState, ReorgStats, RpcHealth } from '#domain/health.ts'

/** What the indexer tells of itself; structurally the gateway's `IndexerView`. Never waits. */
export interface IndexerStatus {
  state(): IndexerState
  /** Milliseconds per block over the recent chain and the head's base fee; `null` while unknown. */
  chain(): { readonly headBlock: number | null; readonly blockTimeMs: number | null; readonly baseFeeGwei: string | null }
}

export type TroubleSpot = 'chain' | 'indexing'

/** Takes note of what happens; every method is called by the indexer alone. */
export interface IndexerStateRecorder extends IndexerStatus {
  /** The chain's end is asked for. */
  looking(): void
  /** The chain's end was seen. */
  sawTip(tip: ChainTip): void
  /** Everything up to this block is indexed; `null`: the database is empty. */
  indexed(header: Pick<BlockHeader, 'number' | 'timestamp'> | null): void
  /** `null` when there is nothing left to backfill. */
  backfilling(progress: BackfillProgress | null): void
  /** Something is in the way just now, of seeing the chain's end or of indexing; `null`: no longer. The sentence is shown to everybody. */
  trouble(where: TroubleSpot, sentence: string | null): void
  reorged(depth: number): void
  /** Indexing has ended, for good or until the chain has the indexed blocks again (`null`). */
  stopped(sentence: string | null): void
}

export interface IndexerStateOptions {
  readonly rpc: { health(): readonly RpcHealth[]; lastAnswerAtMs(): number | null }
  /** The first block to index. */
  readonly startBlock: number
  readonly nowMs: () => number
  /** Default: not told. */
  readonly blocksAtOnce?: (provider: string) => number
}

/** No provider answers for so long, or none shows the chain's end: nobody knows what the chain does. */
const SILENT_AFTER_MS = 30_000
/** Nothing is indexed for so long though there is something. A range takes longer than a block. */
const STALLED_AFTER_MS = 60_000
const BACKFILL_STALLED_AFTER_MS = 300_000
/** A chain whose newest block is the same for so long, and for so many of its block times, stands still. */
const STILL_AFTER_MS = 120_000
const STILL_AFTER_BLOCKS = 30
/** Heads over which the block time is averaged. */
const HEADS_KEPT = 32

interface Trouble {
  readonly sentence: string
  readonly sinceMs: number
}

interface Facts {
  readonly tip: ChainTip | null
  /** Since when the head is the same. */
  readonly headSinceMs: number | null
  /** Since when the chain's end is asked for and not seen; `null`: it was seen when it was asked for last. */
  readonly lookingSinceMs: number | null
  /** `undefined`: the database has not said yet. */
  readonly indexed: Pick<BlockHeader, 'number' | 'timestamp'> | null | undefined
  readonly indexedAtMs: number | null
  /** Since when there is a confirmed block that is not indexed; `null`: there is none. */
  readonly laggingSinceMs: number | null
  readonly backfill: BackfillProgress | null
  readonly trouble: Readonly<Record<TroubleSpot, Trouble | null>>
  readonly stopped: string | null
  readonly reorgs: ReorgStats
}

const NOTHING_KNOWN: Facts = {
  tip: null,
  headSinceMs: null,
  lookingSinceMs: null,
  indexed: undefined,
  indexedAtMs: null,
  laggingSinceMs: null,
  backfill: null,
  trouble: { chain: null, indexing: null },
  stopped: null,
  reorgs: { count: 0, lastDepth: null, lastAt: null },
}

export function createIndexerState({ rpc, startBlock, nowMs, blocksAtOnce }: IndexerStateOptions): IndexerStateRecorder {
  const startedAtMs = nowMs()
  let facts = NOTHING_KNOWN
  let heads: readonly Pick<BlockHeader, 'number' | 'timestamp'>[] = []

  const note = (changed: Partial<Facts>) => {
    const next = { ...facts, ...changed }
    const lagging = (lagOf(next, startBlock)?.blocks ?? 0) > 0
    facts = { ...next, laggingSinceMs: lagging ? (next.laggingSinceMs ?? nowMs()) : null }
  }

  return {
    looking: () => note({ lookingSinceMs: facts.lookingSinceMs ?? nowMs() }),
    sawTip: tip => {
      for (const header of [tip.confirmed, tip.head])
        if (header.number > (heads.at(-1)?.number ?? -1)) heads = [...heads, header].slice(-HEADS_KEPT)
      note({ tip, lookingSinceMs: null, headSinceMs: tip.head.hash === facts.tip?.head.hash ? facts.headSinceMs : nowMs() })
    },
    indexed: header => {
      // Being told again what is known, as after every failure, is no progress.
      const moved = header?.number !== facts.indexed?.number
      note({ indexed: header, indexedAtMs: moved ? nowMs() : facts.indexedAtMs })
    },
    backfilling: backfill => note({ backfill }),
    trouble: (where, sentence) => {
      const trouble = sentence === null ? null : { sentence, sinceMs: facts.trouble[where]?.sinceMs ?? nowMs() }
      note({ trouble: { ...facts.trouble, [where]: trouble } })
    },
    reorged: depth => note({ reorgs: { count: facts.reorgs.count + 1, lastDepth: depth, lastAt: new Date(nowMs()).toISOString() } }),
    stopped: sentence => note({ stopped: sentence }),
    state: () => {
      const health = rpc.health()
      const silentMs = nowMs() - Math.max(rpc.lastAnswerAtMs() ?? startedAtMs, startedAtMs)
      const sightless = Math.max(silentMs, blindMs(facts, nowMs())) > SILENT_AFTER_MS
      const lag = sightless ? null : lagOf(facts, startBlock)
      const stillMs = sightless || facts.headSinceMs === null ? null : nowMs() - facts.headSinceMs
      const stall = stallOf(facts, nowMs(), silentMs)
      return {
        headBlock: facts.tip?.head.number ?? null,
        confirmedBlock: facts.tip?.confirmed.number ?? null,
        indexedBlock: facts.indexed?.number ?? null,
        lagBlocks: lag?.blocks ?? null,
        lagSeconds: lag?.seconds ?? null,
        headUnchangedSeconds: stillMs === null ? null : Math.floor(stillMs / 1_000),
        backfill: facts.backfill,
        reorgs: facts.reorgs,
        rpc: blocksAtOnce === undefined ? health : health.map(rpc => ({ ...rpc, rangeBlocks: blocksAtOnce(rpc.name) })),
        stalled: stall !== null,
        reason:
          stall ??
          worstTrouble(facts)?.sentence ??
          blindness(facts, nowMs()) ??
          standstill(facts, stillMs, averageBlockTimeMs(heads)) ??
          unhealthy(health),
      }
    },
    chain: () => {
      const head = facts.tip?.head
      return {
        headBlock: head?.number ?? null,
        blockTimeMs: averageBlockTimeMs(heads),
        baseFeeGwei: head === undefined || head.baseFeeWei === null ? null : formatUnits(head.baseFeeWei, 9),
      }
    },
  }
}

/**
 * How far the index is behind the confirmed chain: in blocks, and in seconds of the chain's own time between the newest indexed and the
 * newest confirmed block. Chain time, not this machine's clock: a chain that stands still adds no lag, nor does a clock that is wrong.
 */
function lagOf({ tip, indexed }: Facts, startBlock: number): { readonly blocks: number; readonly seconds: number | null } | null {
  if (tip === null || indexed === undefined) return null
  if (indexed === null) return { blocks: Math.max(0, tip.confirmed.number - startBlock + 1), seconds: null }
  const blocks = Math.max(0, tip.confirmed.number - indexed.number)
  return { blocks, seconds: blocks === 0 ? 0 : Math.max(0, tip.confirmed.timestamp - indexed.timestamp) }
}

/** Why nothing is indexed though it should be, or `null`. A chain that stands still stalls nothing. */
function stallOf(facts: Facts, nowMs: number, silentMs: number): string | null {
  if (facts.stopped !== null) return facts.stopped
  if (silentMs > SILENT_AFTER_MS) return `no RPC provider has answered for ${seconds(silentMs)}`
  const trouble = worstTrouble(facts)
  const troubleMs = trouble === null ? 0 : nowMs - trouble.sinceMs
  const idleMs = facts.laggingSinceMs === null ? 0 : nowMs - Math.max(facts.laggingSinceMs, facts.indexedAtMs ?? 0)
  const allowedMs = facts.backfill === null ? STALLED_AFTER_MS : BACKFILL_STALLED_AFTER_MS
  if (Math.max(troubleMs, idleMs, blindMs(facts, nowMs)) <= allowedMs) return null
  return trouble?.sentence ?? blindness(facts, nowMs) ?? `nothing has been indexed for ${seconds(idleMs)}`
}

/** For how long the chain's end was asked for in vain, also while the answer is only waited for. */
function blindMs({ lookingSinceMs }: Facts, nowMs: number): number {
  return lookingSinceMs === null ? 0 : nowMs - lookingSinceMs
}

/** That nobody has shown the chain's end for long, or `null`. */
function blindness(facts: Facts, nowMs: number): string | null {
  const blind = blindMs(facts, nowMs)
  return blind > SILENT_AFTER_MS ? `no RPC provider has shown the chain's end for ${seconds(blind)}` : null
}

/** Trouble with indexing says more: it is what trouble with the chain leads to. */
function worstTrouble({ trouble }: Facts): Trouble | null {
  return trouble.indexing ?? trouble.chain
}

/** That the providers answer and the chain itself does not move, or `null`. */
function standstill({ tip }: Facts, stillMs: number | null, blockTimeMs: number | null): string | null {
  if (tip === null || stillMs === null || stillMs <= Math.max(STILL_AFTER_MS, STILL_AFTER_BLOCKS * (blockTimeMs ?? 0))) return null
  return `the chain stands still: the providers answer, and block ${tip.head.number} has been the newest for ${seconds(stillMs)}`
}

function unhealthy(health: readonly RpcHealth[]): string | null {
  const names = health.filter(({ healthy }) => !healthy).map(({ name }) => name)
  return names.length === 0 ? null : `${names.join(', ')} not healthy`
}

function averageBlockTimeMs(heads: readonly Pick<BlockHeader, 'number' | 'timestamp'>[]): number | null {
  const first = heads[0]
  const last = heads.at(-1)
  if (first === undefined || last === undefined || last.number === first.number) return null
  return Math.round(((last.timestamp - first.timestamp) * 1_000) / (last.number - first.number))
}

function seconds(ms: number): string {
  return `${Math.floor(ms / 1_000)} s`
}
