import type { Subscription, Transport } from '#actors/subscription.ts'
import type { Frame, FramedSnapshot } from './frame.ts'
import { needsSnapshot } from './sequence.ts'

/** The state that answers a subscribe; `null`: the token is not indexed. */
export type SubscribeReply = FramedSnapshot | null

interface Waiting {
  /** `null`: the client has no state. */
  readonly lastSequence: number | null
  /** Each of these subscribes gets an answer of its own. */
  readonly subscribes: number
}

/** Members have been answered and get every frame; the others wait until the state is known. Mutable: copies per join cost too much. */
export class SubscriberSet {
  readonly #members = new Set<Subscription>()
  readonly #waiting = new Map<Subscription, Waiting>()
  #newestSent: number | null = null
  #conflated = 0

  /** The newest sequence sent to any subscriber; `null`: none. It survives a failed actor, so that its successor sends nothing older. */
  get newestSent(): number | null {
    return this.#newestSent
  }

  /** Updates that a newer one replaced before they were written. Survives a failed actor. */
  get conflated(): number {
    return this.#conflated
  }

  get size(): number {
    return this.#members.size + this.#waiting.size
  }

  wait(subscription: Subscription, lastSequence: number | null): void {
    this.#members.delete(subscription)
    const earlier = this.#waiting.get(subscription)
    this.#waiting.set(subscription, {
      lastSequence: earlier === undefined ? lastSequence : smaller(earlier.lastSequence, lastSequence),
      subscribes: (earlier?.subscribes ?? 0) + 1,
    })
  }

  /** Answers a subscribe. When the answer can't be made, this throws, and the subscriber waits for the actor's successor. */
  admit(subscription: Subscription, lastSequence: number | null, reply: SubscribeReply, ethUsd: () => string | null): void {
    let frame: Frame | null = null
    try {
      if (reply !== null && needsSnapshot(reply.sequence, lastSequence)) frame = reply.frame(ethUsd())
    } catch (error) {
      this.wait(subscription, lastSequence)
      throw error
    }
    this.#members.add(subscription)
    this.#noteSent(reply)
    subscription.subscribed(reply?.sequence ?? null)
    subscription.holds(lastSequence, reply)
    if (frame !== null) subscription.snapshot(frame)
  }

  admitWaiting(reply: SubscribeReply, ethUsd: () => string | null): void {
    for (const [subscription, { lastSequence, subscribes }] of this.#waiting) {
      // Encoded before the first answer, as in `admit`.
      if (reply !== null && needsSnapshot(reply.sequence, lastSequence)) reply.frame(ethUsd())
      this.#waiting.delete(subscription)
      for (let extra = 1; extra < subscribes; extra++) subscription.subscribed(reply?.sequence ?? null)
      this.admit(subscription, lastSequence, reply, ethUsd)
    }
  }

  remove(subscription: Subscription): void {
    this.#members.delete(subscription)
    this.#waiting.delete(subscription)
  }

  /** Offers a commit to every member: the hot loop of the service. Each member only notes a reference. */
  update(committed: FramedSnapshot, ethUsd: () => string | null): void {
    if (this.#members.size === 0) return
    const frame = committed.frame(ethUsd())
    this.#noteSent(committed)
    for (const member of this.#members) if (member.update(frame)) this.#conflated++
  }

  resync(loaded: FramedSnapshot, ethUsd: () => string | null): void {
    if (this.#members.size === 0) return
    const frame = loaded.frame(ethUsd())
    this.#noteSent(loaded)
    for (const member of this.#members) member.snapshot(frame)
  }

  /** Walks over all subscribers: for operators, not for every update. */
  counts(): Readonly<Record<Transport | 'lagging', number>> {
    const counts = { webSocket: 0, eventStream: 0, lagging: 0 }
    for (const subscription of [...this.#members, ...this.#waiting.keys()]) {
      counts[subscription.transport]++
      if (subscription.lagging) counts.lagging++
    }
    return counts
  }

  #noteSent(reply: SubscribeReply): void {
    if (reply !== null) this.#newestSent = Math.max(reply.sequence, this.#newestSent ?? 0)
  }
}

function smaller(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.min(a, b)
}
