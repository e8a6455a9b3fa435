import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import {
  asyncScheduler,
  catchError,
  concatMap,
  defer,
  EMPTY,
  finalize,
  first,
  ignoreElements,
  merge,
  NEVER,
  type Observable,
  of,
  ReplaySubject,
  repeat,
  retry,
  type SchedulerLike,
  Subject,
  share,
  startWith,
  take,
  takeUntil,
  tap,
  throwError,
  timer,
} from 'rxjs'
import { coalesce } from '#async/coalesce.ts'
import { isLogged } from '#async/pause.ts'
import type { ChainSource } from '#chain/chainSource.ts'
import type { ChainTip } from '#chain/chainTips.ts'
import { type HeadHint, heads, nextPollMs, pollWhilePushedMs } from '#chain/heads.ts'
import { type Clock, systemClock } from '#clock'
import type { Confirmations } from '#config'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { type ErrorCode, hasCode, TokenwireError } from '#errors'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { IndexingView } from '#resources/health.ts'
import { MAX_SILENCE_MS } from '#rpc/limits.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { faultOf, inconsistent } from '#rpc/rpcFault.ts'
import type { Committer } from './committer.ts'
import {
  afterHealthEvent,
  averageBlockTimeMs,
  type Backfill,
  causeOf,
  fallingTimes,
  progressOf,
  reportChain,
  reportState,
  type SyncHealth,
  UNKNOWN_HEALTH,
} from './health.ts'
import { createPrefetch, type Prefetch, type RangeBounds, type SpanSource, type Watchlist } from './prefetch.ts'
import { fetchFork, verifyConfirmedBlock, verifyStartBlock } from './replacement.ts'
import { type Action, afterEvent, type Commit, decide, type ReadyCommit, reconcile, type SyncEvent, type SyncState } from './state.ts'

export interface Sync {
  /**
   * Indexes while it is subscribed to, and emits every commit in order, after it is committed. Never errors; completes on `stop`, and can't
   * be started again.
   */
  readonly blocks: Observable<CommittedBlock>
  readonly view: IndexingView
  health(): SyncHealth
  /** Resolves with the error after which nothing more is indexed, if one comes. */
  readonly gaveUp: Promise<unknown>
  /**
   * Starts no further commit. Resolves when the one under way has been emitted and `blocks` has completed. Fetches under way end with
   * `rpc.close()`.
   */
  stop(): Promise<void>
}

const TUNING: Tuning = { followBlocks: 50, liveBlocks: 8, ranges: { minBlocks: 1, maxBlocks: 50_000, targetLogs: 20_000 } }
const REAL_TIME: SyncTime = { clock: systemClock, scheduler: asyncScheduler, random: Math.random }

/**
 * Keeps the index up to date with the chain, as a loop of steps: decide the next action from the state and the newest tip, perform it,
 * record what happened. A step that fails is repeated as `retryPolicy` says. The only mutable data is here: state and health, which follow
 * from events.
 */
export function createSync(options: SyncOptions): Sync {
  const { rpc, source, committer, watchlist, confirmations, maxReorgDepth, logger, time = REAL_TIME } = options
  const { clock, scheduler, random } = time
  const tuning = { ...TUNING, ...options.tuning }
  const { startBlock } = watchlist
  // Blocks that are fetched in ranges can't be undone.
  const bounds = { startBlock, liveBlocks: tuning.liveBlocks, followBlocks: Math.max(tuning.followBlocks, maxReorgDepth) }
  const prefetch = createPrefetch({
    source: options.ranges ?? source,
    watchlist,
    prepare: committer.prepare,
    bounds,
    ranges: tuning.ranges,
  })
  const startedAtMs = clock.nowMs()
  const stopped = new Subject<void>()
  const tips = new ReplaySubject<ChainTip>(1)
  const polled = new Subject<void>()
  const gaveUp = Promise.withResolvers<unknown>()

  let state: SyncState = { kind: 'unknown', uncertain: null }
  let health = options.health ?? UNKNOWN_HEALTH
  let committing: Promise<unknown> = Promise.resolve()
  let isStopping = false

  const record = (event: SyncEvent): void => {
    const before = health
    state = afterEvent(state, event)
    health = afterHealthEvent(health, event, clock.nowMs(), bounds)
    logEvent(logger, event, before, health, startBlock)
  }

  /** The next block to index, once everything confirmed is indexed: its logs are asked for with its tip. */
  const expectedBlock = (): number | null => {
    const confirmed = health.tip?.confirmed.number
    const cursor = state.kind === 'known' ? state.chain.at(-1)?.number : undefined
    return confirmed !== undefined && cursor !== undefined && cursor >= confirmed - 1 ? confirmed + 1 : null
  }

  const poll = async (hint: HeadHint): Promise<ChainTip> => {
    record({ kind: 'polling' })
    const tip = await source.tip({ confirmations, announced: hint === 'pushed', next: expectedBlock() })
    record({ kind: 'tip', tip })
    return tip
  }

  const commit = async (commit: Commit): Promise<CommittedBlock> => {
    const running = committer.commit(commit)
    committing = running.catch(() => undefined)
    return running.catch((error: unknown) => {
      record({ kind: 'commitFailed', commit })
      throw error
    })
  }

  /** Emits the block that was committed, if any, and completes when the next step is due. */
  const step = async (tip: ChainTip): Promise<Observable<CommittedBlock>> => {
    const action = decide(state, tip, bounds, prefetch.rangeBlocks())
    record({ kind: 'decided', action, tip })
    if (action.kind === 'wait')
      return tips.pipe(
        first(newer => newer !== tip),
        ignoreElements(),
      )
    const result = await performAction(action, state, tip, prefetch, options)
    if (result.kind !== 'commit') {
      record(result)
      return EMPTY
    }
    if (isStopping) return NEVER
    const block = await commit(result.commit)
    record({ kind: 'committed', commit: result.commit, block, blocks: result.blocks })
    return of(block)
  }

  const loop = defer(() => {
    const polls = coalesce<HeadHint>(
      async hint => {
        tips.next(await poll(hint))
        polled.next()
      },
      error => {
        record({ kind: 'tipFailed', error })
        polled.next()
      },
    )
    const untilNextMs = () => nextPollMs(health.polls, averageBlockTimeMs(health.heads), health.backfill !== null)
    const whilePushedMs = () => pollWhilePushedMs(averageBlockTimeMs(health.heads))
    const hints = options.hints ?? heads({ rpc, polled, untilNextMs, whilePushedMs, scheduler })
    // Polling is separate from the steps, so that health shows the chain moving on while a commit hangs.
    const polling = hints.pipe(
      startWith<HeadHint>('due'),
      tap(hint => polls.request(hint)),
      ignoreElements(),
      finalize(() => polls.stop()),
    )
    const steps = tips.pipe(take(1), concatMap(step)).pipe(
      retry({
        delay: (error: unknown) => {
          const attempt = health.failures + 1
          const decision = retryPolicy(error, attempt, random())
          if (decision.kind === 'give-up') return throwError(() => error)
          record({ kind: 'failed', error, attempt, retryInMs: decision.afterMs })
          return timer(decision.afterMs, scheduler)
        },
      }),
      concatMap(emitted => emitted),
      repeat(),
      catchError((error: unknown) => {
        record({ kind: 'gaveUp', error })
        gaveUp.resolve(error)
        return NEVER
      }),
    )
    return merge(polling, steps)
  })

  const stop = async (): Promise<void> => {
    isStopping = true
    await committing
  }

  return {
    blocks: loop.pipe(
      takeUntil(stopped),
      finalize(() => void stop()),
      share(),
    ),
    view: {
      state: () => {
        const lastAnswerAtMs = rpc.lastAnswerAtMs()
        return reportState(health, {
          nowMs: clock.nowMs(),
          startedAtMs,
          lastAnswerAtMs,
          rpc: rpc.health(),
          warnings: source.warnings(),
          troubles: rpc.troubles(),
          startBlock,
        })
      },
      chain: () => reportChain(health),
    },
    health: () => health,
    gaveUp: gaveUp.promise,
    stop: async () => {
      // The commit under way is still emitted: nothing would report it later.
      await stop()
      await nextTurn()
      stopped.next()
    },
  }
}

/**
 * Does what an action needs of the chain and the database, up to the commit. Returns what it learned, or what to commit.
 *
 * @throws `TokenwireError` `reorg_too_deep` when the chain has replaced more indexed blocks than can be undone; what fetching threw
 */
export async function performAction(
  action: Exclude<Action, { kind: 'wait' }>,
  state: SyncState,
  tip: ChainTip,
  prefetch: Prefetch,
  options: Pick<SyncOptions, 'source' | 'committer' | 'watchlist' | 'genesisHash' | 'maxReorgDepth'>,
): Promise<SyncEvent | ReadyCommit> {
  const { source, committer, watchlist, genesisHash } = options
  const { confirmed, head } = tip
  switch (action.kind) {
    case 'readCursor':
      prefetch.discard()
      return { kind: 'cursorRead', blocks: await committer.recentBlocks() }
    case 'repeatCommit':
      return { kind: 'commit', commit: action.commit, blocks: [] }
    case 'compareCursor': {
      const { number, hash } = action.cursor
      const shown = await source.header(number)
      return { kind: 'cursorCompared', head: head.hash, isReplaced: shown.hash !== hash }
    }
    case 'verifyTip':
      await verifyConfirmedBlock(source, confirmed)
      return { kind: 'tipVerified', confirmed: confirmed.hash }
    case 'verifyStart':
      return { kind: 'startVerified', block: await verifyStartBlock(source, watchlist.startBlock, genesisHash) }
    case 'replaceBlocks':
      prefetch.discard()
      return fetchFork(await committer.recentBlocks(), tip, options)
    case 'index': {
      const batch = await prefetch.next(action.span, tip)
      if (!followsCursor(batch.first, state)) return { kind: 'forked' }
      return { kind: 'commit', commit: { kind: 'batch', to: batch.to, batch }, blocks: batch.blocks }
    }
    case 'settle':
      // Batches that were prepared for a longer chain were projected from the rows before this commit.
      prefetch.discard()
      return { kind: 'commit', commit: { kind: 'settle', to: action.at }, blocks: [] }
  }
}

/** @throws `RpcError` `inconsistent` when an empty index would begin with another block than a second answer has shown */
function followsCursor(first: BlockHeader, state: SyncState): boolean {
  if (state.kind !== 'known') return false
  const cursor = state.chain.at(-1)
  if (cursor !== undefined) return reconcile(state.chain, first) === 'append'
  if (state.verifiedStart?.hash === first.hash) return true
  throw inconsistent(`two answers to what block ${first.number} is`)
}

export type RetryDecision = { readonly kind: 'retry'; readonly afterMs: number } | { readonly kind: 'give-up' }

const FIRST_DELAY_MS = 200
const MAX_DELAY_MS = 5_000
const LOOK_AGAIN_MS = 30_000

/** Only a person can fix these: the chain, the configuration and the database do not belong together. */
const HOPELESS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'chain_mismatch',
  'config_invalid',
  'database_foreign',
  'database_taken',
  'not_supported',
])

/**
 * What to do after a step of indexing failed. Cases:
 * 1. Only a person can fix it: give up. What is indexed is still served.
 * 2. A reorg is too deep: retry, seldom. A person may have to rewind the index, but a provider that shows another chain for a while looks
 *    the same.
 * 3. A provider asks for silence: retry after it.
 * 4. Anything else, a defect of this code included: retry, without end. Each attempt begins by reading the cursor from the database.
 *
 * @param attempt 1 after the first failure in a row
 * @param random 0 to 1, spreads the delay
 */
export function retryPolicy(error: unknown, attempt: number, random: number): RetryDecision {
  if (error instanceof TokenwireError && !error.retryable && HOPELESS.has(error.code)) return { kind: 'give-up' }
  if (hasCode(error, 'reorg_too_deep')) return { kind: 'retry', afterMs: LOOK_AGAIN_MS }
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 10)) * (0.5 + random / 2)
  const fault = faultOf(error)
  const silence = fault?.kind === 'rate-limited' ? Math.min(fault.retryAfterMs ?? 0, MAX_SILENCE_MS) : 0
  return { kind: 'retry', afterMs: Math.max(delay, silence) }
}

const PROGRESS_EVERY_MS = 5_000

/** Logs for operators the progress of a backfill, reorgs, and failures. Repeated failures are logged ever more rarely. */
export function logEvent(logger: Logger, event: SyncEvent, before: SyncHealth, after: SyncHealth, startBlock: number): void {
  logBackfill(logger, before.backfill, after.backfill, startBlock)
  if (before.fallingAt === null && after.fallingAt !== null) logger.warn(fallingTimes(after.fallingAt))
  switch (event.kind) {
    case 'committed': {
      if (event.commit.kind !== 'replace') return
      const { replacement, to, depth } = event.commit
      const details = { depth, ancestor: replacement.ancestor?.number ?? null, cursor: before.indexed?.number, to: to.number }
      logger.warn(details, 'the chain has replaced indexed blocks; they are replaced in the index')
      return
    }
    case 'tipFailed':
      if (isLogged(after.failedPolls)) logger.warn({ err: event.error, attempt: after.failedPolls }, "the chain's end could not be seen")
      return
    case 'failed': {
      const { error: err, attempt, retryInMs } = event
      if (hasCode(err, 'reorg_too_deep')) {
        if (before.stopped !== null && before.tooDeepReorgAt === after.tooDeepReorgAt) return
        const details = err instanceof TokenwireError ? err.details : {}
        logger.fatal(
          { ...details, err },
          'indexed blocks are no longer on the chain; indexing has stopped, what is indexed is still served',
        )
      } else if (isLogged(attempt)) {
        logger.warn({ cause: causeOf(err).full, err, attempt, retryInMs: Math.round(retryInMs) }, 'indexing failed, trying again')
      }
      return
    }
    case 'gaveUp':
      logger.fatal({ err: event.error }, 'indexing has stopped; what is indexed is still served')
      return
    default:
  }
}

function logBackfill(logger: Logger, before: Backfill | null, after: Backfill | null, startBlock: number): void {
  if (after === null) {
    if (before === null) return
    const seconds = Math.round(((before.samples.at(-1)?.atMs ?? before.startedAtMs) - before.startedAtMs) / 1_000)
    logger.info({ toBlock: before.target, events: before.logs, seconds }, 'backfill done')
  } else if (before === null || isProgressDue(before, after)) {
    logger.info(progressOf(after, startBlock), 'backfill')
  }
}

/** Whether the commit is the first one in a new interval, counted from the start of the backfill. */
function isProgressDue(before: Backfill, after: Backfill): boolean {
  const interval = ({ samples, startedAtMs }: Backfill) => Math.floor(((samples.at(-1)?.atMs ?? 0) - startedAtMs) / PROGRESS_EVERY_MS)
  return interval(after) > interval(before)
}

export interface SyncOptions {
  readonly rpc: Pick<Rpc, 'health' | 'troubles' | 'lastAnswerAtMs' | 'subscribeHeads'>
  readonly source: ChainSource
  /** What old blocks are fetched from. Default: the chain. */
  readonly ranges?: SpanSource['source']
  readonly committer: Committer
  readonly watchlist: Watchlist
  readonly confirmations: Confirmations
  /** The hash of block 0, by which the database knows its chain: an index begins on no other one. */
  readonly genesisHash: Hex
  /** Reorgs up to this depth are replaced in one transaction. A deeper one ends indexing. */
  readonly maxReorgDepth: number
  readonly logger: Logger
  /** Of the synchronisation of the same index that this one continues. Default: nothing is known yet. */
  readonly health?: SyncHealth | undefined
  /** How far before the confirmed head blocks are followed, and how large ranges before them are. Default: `TUNING`. */
  readonly tuning?: Partial<Tuning>
  /** Where time comes from. Default: real time. */
  readonly time?: SyncTime
  /** Default: the provider's pushed heads, or polling in step with its blocks. */
  readonly hints?: Observable<HeadHint>
}

export interface Tuning {
  readonly followBlocks: number
  readonly liveBlocks: number
  readonly ranges: RangeBounds
}

interface SyncTime {
  readonly clock: Clock
  /** For the waits between attempts. */
  readonly scheduler: SchedulerLike
  /** 0 to 1, spreads the waits. */
  readonly random: () => number
}
