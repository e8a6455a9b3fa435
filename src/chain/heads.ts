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

/**
 * When to poll a provider that does not push its heads: in step with the chain's blocks. A chain with regular blocks costs two polls per
 * block, and a block is seen about half a step after it came; a chain with irregular blocks costs up to four polls per block.
 */
export interface PollSchedule {
  /** The newest block seen; `null`: none yet. */
  readonly head: number | null
  /** From the poll that saw `head` to the first poll for the next block; `null`: half of the block time. */
  readonly firstMs: number | null
  /** Polls since `head` was seen that saw no new block. */
  readonly polls: number
  /** How many blocks in a row were seen by their first poll, which may be far too late. */
  readonly foundByFirst: number
}

export const INITIAL_POLL_SCHEDULE: PollSchedule = { head: null, firstMs: null, polls: 0, foundByFirst: 0 }

/** After this many polls without a new block, the chain is polled about twice per block time. */
const CLOSE_POLLS = 6
/** The first poll moves by at most 2 ** 4 steps. */
const MAX_DOUBLINGS = 4
/** The distance of two close polls, as a share of the block time. */
const STEP = 1 / 16
const MIN_STEP_MS = 100
const MAX_STEP_MS = 500
const MIN_POLL_MS = 250
const MAX_POLL_MS = 4_000
const MIN_WHILE_PUSHED_MS = 1_000
const POLL_UNKNOWN_MS = 1_000
/** A provider that gets no request for 30 s counts as silent. */
const MAX_FIRST_MS = 15_000

/**
 * The schedule after a poll. The second poll for a block should be the one that sees it: then the block came in the step before. Cases:
 * 1. the first poll sees it: the block may be much older, so the next first poll comes a step earlier; from the third time in a row the
 * shift doubles each time
 * 2. the second poll sees it: nothing changes
 * 3. a later poll sees it: the first poll was too early, and comes half a step later
 *
 * @param head the newest block; `null`: the poll failed
 */
export function afterPoll(schedule: PollSchedule, head: number | null, blockTimeMs: number | null): PollSchedule {
  const { polls } = schedule
  if (head === null || head === schedule.head) return { ...schedule, polls: polls + 1 }
  const grown = head - (schedule.head ?? head)
  // A lower head, or many blocks at once, say nothing about when blocks come.
  if (blockTimeMs === null || grown < 1 || grown > 2) return { ...schedule, head, polls: 0 }
  const seenByFirst = polls === 0 || grown > 1
  const steps = seenByFirst ? -(2 ** clamp(0, schedule.foundByFirst - 1, MAX_DOUBLINGS)) : polls === 1 ? 0 : 1 / 2
  const next = firstMs(schedule, blockTimeMs) + steps * stepMs(blockTimeMs)
  return { head, firstMs: next, polls: 0, foundByFirst: seenByFirst ? schedule.foundByFirst + 1 : 0 }
}

/** How long to wait before the next poll. While catching up, a new head changes nothing: the wait is the longest. */
export function nextPollMs(schedule: PollSchedule, blockTimeMs: number | null, catchingUp: boolean): number {
  if (catchingUp) return MAX_POLL_MS
  if (blockTimeMs === null) return POLL_UNKNOWN_MS
  if (schedule.polls === 0) return firstMs(schedule, blockTimeMs)
  if (schedule.polls < CLOSE_POLLS) return stepMs(blockTimeMs)
  return clamp(MIN_POLL_MS, blockTimeMs / 2, MAX_POLL_MS)
}

/** How long to wait for a pushed head before a poll: two blocks. */
export function pollWhilePushedMs(blockTimeMs: number | null): number {
  return clamp(MIN_WHILE_PUSHED_MS, (blockTimeMs ?? MAX_POLL_MS) * 2, MAX_POLL_MS)
}

function firstMs(schedule: PollSchedule, blockTimeMs: number): number {
  const usual = clamp(MIN_STEP_MS, blockTimeMs, MAX_FIRST_MS)
  return clamp(MIN_STEP_MS, schedule.firstMs ?? Math.min(blockTimeMs / 2, MAX_POLL_MS), usual)
}

function stepMs(blockTimeMs: number): number {
  return clamp(MIN_STEP_MS, blockTimeMs * STEP, MAX_STEP_MS)
}

function clamp(least: number, value: number, most: number): number {
  return Math.max(least, Math.min(value, most))
}
