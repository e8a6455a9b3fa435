import { asyncScheduler, defer, map, merge, Observable, repeat, retry, type SchedulerLike, timer } from 'rxjs'
import type { Rpc } from './rpc.ts'

export interface HeadsOptions {
  readonly rpc: Pick<Rpc, 'subscribeHeads'>
  /** How long until the chain is looked at again; asked anew each time. */
  readonly intervalMs: () => number
  /** Default: real time. */
  readonly scheduler?: SchedulerLike
}

/** While a provider pushes its heads, polling only makes up for a subscription that has died without a word. */
const POLL_WHILE_PUSHED_MS = 4_000
const SUBSCRIBE_AGAIN_MS = 5_000

/**
 * Says that there may be something new: at every head that a WebSocket provider pushes, else at an interval. Hints only, without
 * content: a push may be of a block that is replaced already, come twice or not at all. Never errors, never completes.
 */
export function heads({ rpc, intervalMs, scheduler = asyncScheduler }: HeadsOptions): Observable<void> {
  return defer(() => {
    let pushed = false
    const pushes = pushedHeads(rpc, isPushed => {
      pushed = isPushed
    }).pipe(retry({ delay: () => timer(SUBSCRIBE_AGAIN_MS, scheduler) }))
    const polls = defer(() => timer(pushed ? POLL_WHILE_PUSHED_MS : intervalMs(), scheduler)).pipe(repeat())
    return merge(pushes, polls).pipe(map(() => undefined))
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

const POLL_LEAST_MS = 250
const POLL_MOST_MS = 4_000
const POLL_UNKNOWN_MS = 1_000

/**
 * How often to look for a new head: twice per block, so that a block is seen a quarter of its time late on average; as rarely as
 * allowed while there is plenty to catch up on anyway.
 */
export function pollIntervalMs(blockTimeMs: number | null, catchingUp: boolean): number {
  if (catchingUp) return POLL_MOST_MS
  return blockTimeMs === null ? POLL_UNKNOWN_MS : Math.min(POLL_MOST_MS, Math.max(POLL_LEAST_MS, blockTimeMs / 2))
}
