import {
  asyncScheduler,
  catchError,
  concatMap,
  defer,
  EMPTY,
  filter,
  from,
  ignoreElements,
  merge,
  type Observable,
  of,
  ReplaySubject,
  repeat,
  retry,
  type SchedulerLike,
  startWith,
  take,
  tap,
  throwError,
  timer,
} from 'rxjs'
import { conflateMap } from '#async/conflateMap.ts'
import type { ChainTip } from '#chain/chainTips.ts'
import type { HeadHint } from '#chain/heads.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import type { Advance } from './advance.ts'
import type { RetryDecision } from './retryPolicy.ts'

export interface PipelineOptions {
  /** Says that the chain may have grown. */
  readonly hints: Observable<HeadHint>
  readonly fetchTip: (hint: HeadHint) => Promise<ChainTip>
  readonly advance: (tip: ChainTip) => Promise<Advance>
  /** Whether `advance` would do anything at this tip. Must agree with it, or the pipeline spins. */
  readonly hasWork: (tip: ChainTip) => boolean
  /** Asked after every failed step, with the number of failures in a row. */
  readonly retryPolicy: (error: unknown, attempt: number) => RetryDecision
  readonly onTip: (tip: ChainTip) => void
  readonly onTipFault: (error: unknown) => void
  readonly onRetry: (error: unknown, attempt: number, afterMs: number) => void
  readonly onGiveUp: (error: unknown) => void
  /** Default: real time. */
  readonly scheduler?: SchedulerLike
}

/**
 * The pull loop: one step after the other while there is work, and a wait for a tip with work in it when there is none. A step that fails
 * is repeated as the policy says. When that gives up, nothing more is emitted, but the chain's end is watched on, for the health.
 * Never errors. Unsubscribing ends the timers; a step under way is the advancer's to end.
 */
export function pipeline(options: PipelineOptions): Observable<CommittedBlock> {
  const { hints, fetchTip, advance, hasWork, retryPolicy, onTip, onTipFault, onRetry, onGiveUp, scheduler = asyncScheduler } = options
  return defer(() => {
    const tips = new ReplaySubject<ChainTip>(1)

    // Apart from the loop, so that the health tells how the chain moves on while a commit hangs.
    const watchTip = hints.pipe(
      startWith<HeadHint>('due'),
      conflateMap(hint =>
        from(fetchTip(hint)).pipe(
          tap(tip => {
            onTip(tip)
            tips.next(tip)
          }),
          catchError((error: unknown) => {
            onTipFault(error)
            return EMPTY
          }),
        ),
      ),
      ignoreElements(),
    )

    const step = defer(() => tips.pipe(take(1), concatMap(advance))).pipe(
      retry({
        delay: (error: unknown, attempt) => {
          const decision = retryPolicy(error, attempt)
          if (decision.kind === 'give-up') return throwError(() => error)
          onRetry(error, attempt, decision.afterMs)
          return timer(decision.afterMs, scheduler)
        },
      }),
    )
    const work = tips.pipe(filter(hasWork), take(1), ignoreElements())
    const loop = step.pipe(
      concatMap(result => (result.kind === 'committed' ? of(result.block) : work)),
      repeat(),
      catchError((error: unknown) => {
        onGiveUp(error)
        return EMPTY
      }),
    )
    return merge(watchTip, loop)
  })
}
