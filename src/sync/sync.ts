import { setImmediate as nextTurn } from 'node:timers/promises'
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
import type { ChainTip } from '#chain/chainTips.ts'
import { type HeadHint, heads } from '#chain/heads.ts'
import { nextPollMs, pollWhilePushedMs } from '#chain/pollSchedule.ts'
import { systemClock } from '#clock'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { afterHealthEvent, averageBlockTimeMs, type SyncHealth, UNKNOWN_HEALTH } from './health.ts'
import { reportChain, reportState, type SyncView } from './healthReport.ts'
import { logEvent } from './logEvent.ts'
import { performAction } from './performAction.ts'
import { createPrefetch } from './prefetch.ts'
import { retryPolicy } from './retryPolicy.ts'
import { afterEvent, decide, type SyncState } from './state.ts'
import type { Commit, SyncEvent } from './step.ts'
import type { SyncOptions, SyncTime, Tuning } from './syncOptions.ts'

export interface Sync {
  /**
   * Indexes while it is subscribed to, and emits every commit in order, after it is committed. Never errors; completes on `stop`, and can't
   * be started again.
   */
  readonly blocks: Observable<CommittedBlock>
  readonly view: SyncView
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
  const { rpc, source, committer, watchlist, confirmations, genesisHash, maxReorgDepth, logger, time = REAL_TIME } = options
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
  const performOptions = { source, committer, watchlist, prefetch, genesisHash, maxReorgDepth }
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
    const result = await performAction(action, state, tip, performOptions)
    if (result.kind === 'learned') {
      record(result.event)
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
