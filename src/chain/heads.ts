import { asyncScheduler, defer, map, merge, Observable, retry, type SchedulerLike, startWith, switchMap, timer } from 'rxjs'
import type { Rpc } from '#rpc/rpc.ts'

export interface HeadsOptions {
  readonly rpc: Pick<Rpc, 'subscribeHeads'>
  /** Emits after each poll, also a failed one. */
  readonly polled: Observable<unknown>
  /** The time from a poll to the next one. */
  readonly untilNextMs: () => number
  /** The time between polls while a provider pushes its heads: they then only make up for a subscription that has died silently. */
  readonly whilePushedMs: () => number
  /** Default: real time. */
  readonly scheduler?: SchedulerLike
}

/** Why to poll: a provider has announced a head, or the time has come. */
export type HeadHint = 'pushed' | 'due'

const SUBSCRIBE_AGAIN_MS = 5_000

/**
 * Emits when there may be a new head: at each head that a WebSocket provider pushes, else some time after each poll. Emits no header, since
 * a pushed head may have been replaced, come twice or be missing. Never errors, never completes.
 */
export function heads({ rpc, polled, untilNextMs, whilePushedMs, scheduler = asyncScheduler }: HeadsOptions): Observable<HeadHint> {
  return defer(() => {
    let pushed = false
    const pushes = pushedHeads(rpc, isPushed => {
      pushed = isPushed
    }).pipe(retry({ delay: () => timer(SUBSCRIBE_AGAIN_MS, scheduler) }))
    const polls = polled.pipe(
      startWith(undefined),
      switchMap(() => timer(pushed ? whilePushedMs() : untilNextMs(), scheduler)),
    )
    return merge(pushes.pipe(map(() => 'pushed' as const)), polls.pipe(map(() => 'due' as const)))
  })
}

/** The heads of the preferred provider; errors when it can't push them, or stops. */
function pushedHeads(rpc: Pick<Rpc, 'subscribeHeads'>, onChange: (isPushed: boolean) => void): Observable<void> {
  return new Observable<void>(subscriber => {
    let unsubscribe: (() => void) | null = null
    const end = () => subscriber.error(new Error('no pushed heads'))
    rpc
      .subscribeHeads(() => subscriber.next(), end)
      .then(subscribed => {
        if (subscribed === null) end()
        else if (subscriber.closed) subscribed()
        else {
          unsubscribe = subscribed
          onChange(true)
        }
      }, end)
    return () => {
      onChange(false)
      unsubscribe?.()
    }
  })
}
