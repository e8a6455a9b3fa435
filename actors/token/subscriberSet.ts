import type { Subscription, Transport } from '#actors/subscription.ts'
import type { Frame, FramedSnapshot } from './frame.ts'

/** The state that answers a subscribe; `null`: the token is not indexed. */
export type SubscribeReply = FramedSnapshot | null

interface Waiting {
  /** The newest sequence that the client has; `null`: it has no state. */
  readonly lastSequence: number | null
  /** The number of subscribes, each of which gets an answer of its own. */
  readonly subscribes: number
}

/** The subscribers of a token. Members have been answered and get every frame. The others wait until the state is known. */
export class SubscriberSet {
  readonly #members = new Set<Subscription>()
  readonly #waiting = new Map<Subscription, Waiting>()
  #newestSent: number | null = null
  #conflated = 0

  /** The newest sequence that any subscriber was sent; `null`: none was. It survives a failed actor, whose successor sends no older one. */
  get newestSent(): number | null {
    return this.#newestSent
  }

  /** The number of updates that a newer one has replaced before they were written. It survives a failed actor. */
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

  /** Answers a subscribe. If the state can't be encoded, this throws, and the subscriber waits for the actor's successor. */
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
      // The state is encoded before the first answer, as in `admit`.
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

  /** Offers a commit to every member, which is the hot loop of the service. Each member only notes a reference. */
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

  /** Counts subscribers for operators. Walks over all of them, so it is not for every update. */
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

/** Whether a client whose newest sequence is `lastSequence` (`null`: none) needs a snapshot of the current state. */
export function needsSnapshot(current: number, lastSequence: number | null): boolean {
  return lastSequence === null || current > lastSequence
}
