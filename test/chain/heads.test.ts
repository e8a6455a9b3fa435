import { NEVER, Subject, type Subscription, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { heads } from '#chain/heads.ts'

/** A provider that can push, or not, and can be broken. */
function pushingRpc(pushes: boolean) {
  const subscribers: { onHead: () => void; onEnd: () => void }[] = []
  let unsubscribed = 0
  return {
    subscribers,
    unsubscribed: () => unsubscribed,
    subscribeHeads: async (onHead: () => void, onEnd: () => void) => {
      if (!pushes) return null
      subscribers.push({ onHead, onEnd })
      return () => {
        unsubscribed++
      }
    },
  }
}

/** Lets virtual time pass in steps small enough for promises to be settled between them. */
async function pass(scheduler: VirtualTimeScheduler, ms: number): Promise<void> {
  const end = scheduler.frame + ms
  for (;;) {
    await Promise.resolve()
    await Promise.resolve()
    const next = scheduler.actions[0]
    if (next === undefined || next.delay > end) break
    scheduler.maxFrames = next.delay
    scheduler.flush()
  }
  scheduler.frame = end
}

describe('heads', () => {
  it('polls some time after each look, however long that takes and whatever asked for it', async () => {
    const scheduler = new VirtualTimeScheduler()
    const polled = new Subject<void>()
    let until = 500
    const seen: number[] = []
    const subscription = heads({
      rpc: pushingRpc(false),
      polled,
      untilNextMs: () => until,
      whilePushedMs: () => 4_000,
      scheduler,
    }).subscribe(() => seen.push(scheduler.now()))
    await pass(scheduler, 800)
    polled.next()
    await pass(scheduler, 500)
    expect(seen).toEqual([500, 1_300])
    until = 2_000
    polled.next()
    await pass(scheduler, 1_000)
    // Another look meanwhile begins the wait anew.
    polled.next()
    await pass(scheduler, 4_000)
    expect(seen).toEqual([500, 1_300, 4_300])
    subscription.unsubscribe()
    polled.next()
    await pass(scheduler, 10_000)
    expect(seen).toHaveLength(3)
  })

  it('passes pushed heads on at once and polls rarely then', async () => {
    const scheduler = new VirtualTimeScheduler()
    const rpc = pushingRpc(true)
    const polled = new Subject<void>()
    let hints = 0
    const subscription = heads({ rpc, polled, untilNextMs: () => 100, whilePushedMs: () => 4_000, scheduler }).subscribe(() => {
      hints++
      polled.next()
    })
    await pass(scheduler, 100)
    expect(hints).toBe(1)
    rpc.subscribers[0]?.onHead()
    expect(hints).toBe(2)
    await pass(scheduler, 3_999)
    expect(hints).toBe(2)
    await pass(scheduler, 1)
    expect(hints).toBe(3)
    subscription.unsubscribe()
    expect(rpc.unsubscribed()).toBe(1)
  })

  it('polls again when the subscription breaks, and subscribes anew', async () => {
    const scheduler = new VirtualTimeScheduler()
    const rpc = pushingRpc(true)
    const polled = new Subject<void>()
    let hints = 0
    const subscription: Subscription = heads({ rpc, polled, untilNextMs: () => 1_000, whilePushedMs: () => 4_000, scheduler }).subscribe(
      () => {
        hints++
        polled.next()
      },
    )
    await pass(scheduler, 1_000)
    rpc.subscribers[0]?.onEnd()
    await pass(scheduler, 4_999)
    expect(hints).toBe(2)
    expect(rpc.subscribers).toHaveLength(1)
    await pass(scheduler, 1)
    expect(rpc.subscribers).toHaveLength(2)
    // Polled once more meanwhile, at the interval.
    expect(hints).toBe(3)
    rpc.subscribers[1]?.onHead()
    expect(hints).toBe(4)
    subscription.unsubscribe()
  })

  it('leaves nothing behind when it is unsubscribed while subscribing', async () => {
    const scheduler = new VirtualTimeScheduler()
    const rpc = pushingRpc(true)
    heads({ rpc, polled: NEVER, untilNextMs: () => 1_000, whilePushedMs: () => 4_000, scheduler })
      .subscribe()
      .unsubscribe()
    await pass(scheduler, 10_000)
    expect(rpc.unsubscribed()).toBe(rpc.subscribers.length)
  })
})
