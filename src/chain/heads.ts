import { asyncScheduler, defer, map, merge, Observable, retry, type SchedulerLike, startWith, switchMap, timer } from 'rxjs'
import type { Rpc } from '#rpc/rpc.ts'

export interface HeadsOptions {
  readonly rpc: Pick<Rpc, 'subscribeHeads'>
  /** Emits when the chain was looked at, whatever came of it, after each hint. */
  readonly looked: Observable<unknown>
  /** How long from then until it is looked at again. */
  readonly untilNextMs: () => number
  /** Default: real time. */
  readonly scheduler?: SchedulerLike
}

/** Why to look: a provider says that there is a new head, or it is time to see whether there is. */
export type HeadHint = 'pushed' | 'due'

/** While a provider pushes its heads, polling only makes up for a subscription that has died without a word. */
const POLL_WHILE_PUSHED_MS = 4_000
const SUBSCRIBE_AGAIN_MS = 5_000

/**
 * Says that there may be something new: at every head that a WebSocket provider pushes, else some time after each look. Hints only, without
 * content: a push may be of a block that is replaced already, come twice or not at all. Never errors, never completes.
 */
export function heads({ rpc, looked, untilNextMs, scheduler = asyncScheduler }: HeadsOptions): Observable<HeadHint> {
  return defer(() => {
    let pushed = false
    const pushes = pushedHeads(rpc, isPushed => {
      pushed = isPushed
    }).pipe(retry({ delay: () => timer(SUBSCRIBE_AGAIN_MS, scheduler) }))
    const polls = looked.pipe(
      startWith(undefined),
      switchMap(() => timer(pushed ? POLL_WHILE_PUSHED_MS : untilNextMs(), scheduler)),
    )
    return merge(pushes.pipe(map(() => 'pushed' as const)), polls.pipe(map(() => 'due' as const)))
  })
}

/** The preferred provider's own heads; errors when it can't push or stops to. */
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
