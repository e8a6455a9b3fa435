import { type Subscription, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { heads, pollIntervalMs } from '#chain/heads.ts'

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
  it('polls at the interval, asked anew each time', async () => {
    const scheduler = new VirtualTimeScheduler()
    let interval = 500
    const seen: number[] = []
    const subscription = heads({ rpc: pushingRpc(false), intervalMs: () => interval, scheduler }).subscribe(() =>
      seen.push(scheduler.now()),
    )
    await pass(scheduler, 1_000)
    interval = 2_000
    await pass(scheduler, 4_600)
    expect(seen).toEqual([500, 1_000, 1_500, 3_500, 5_500])
    subscription.unsubscribe()
    await pass(scheduler, 10_000)
    expect(seen).toHaveLength(5)
  })

  it('passes pushed heads on at once and polls rarely then', async () => {
    const scheduler = new VirtualTimeScheduler()
    const rpc = pushingRpc(true)
    let hints = 0
    const subscription = heads({ rpc, intervalMs: () => 100, scheduler }).subscribe(() => hints++)
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
    let hints = 0
    const subscription: Subscription = heads({ rpc, intervalMs: () => 1_000, scheduler }).subscribe(() => hints++)
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
    heads({ rpc, intervalMs: () => 1_000, scheduler })
      .subscribe()
      .unsubscribe()
    await pass(scheduler, 10_000)
    expect(rpc.unsubscribed()).toBe(rpc.subscribers.length)
  })
})

describe('pollIntervalMs', () => {
  it.each([
    [2_000, false, 1_000],
    [12_000, false, 4_000],
    [200, false, 250],
    [0, false, 250],
    [null, false, 1_000],
    [2_000, true, 4_000],
  ])('of a block time of %s, catching up: %s, is %i', (blockTimeMs, catchingUp, interval) => {
    expect(pollIntervalMs(blockTimeMs, catchingUp)).toBe(interval)
  })
})
