import type { Subscription, Transport } from '#actors/ports.ts'
import type { TokenUpdate } from './frame.ts'
import { isOwed } from './sequence.ts'

/** What a subscriber learns when it is answered: the token's newest state, or `null` when it is not indexed. */
export type Answer = TokenUpdate | null

interface Waiting {
  /** The sequence that the subscriber says it holds; `null`: none. */
  readonly held: number | null
  /** Every subscribe has its own answer. */
  readonly answers: number
}

/**
 * Who watches one token. Members were answered and get every frame; those who wait are answered when the token's state is known. It is
 * changed in place, since copying it for every join would make ten thousand joins cost a hundred million steps.
 */
export class SubscriberSet {
  readonly #members = new Set<Subscription>()
  readonly #waiting = new Map<Subscription, Waiting>()
  #told: number | null = null
  #conflated = 0

  /** The newest sequence that anybody was told of; `null`: none. It outlives an actor that fails, so that its successor does not fall behind it. */
  get told(): number | null {
    return this.#told
  }

  /** Updates that members were spared because a newer one took their place. It outlives an actor that fails. */
  get conflated(): number {
    return this.#conflated
  }

  get size(): number {
    return this.#members.size + this.#waiting.size
  }

  /** Notes somebody who can't be answered yet. */
  wait(subscription: Subscription, held: number | null): void {
    this.#members.delete(subscription)
    const earlier = this.#waiting.get(subscription)
    const holds = earlier === undefined ? held : lesser(earlier.held, held)
    this.#waiting.set(subscription, { held: holds, answers: (earlier?.answers ?? 0) + 1 })
  }

  /** Answers somebody at once and makes them a member. */
  admit(subscription: Subscription, held: number | null, answer: Answer, ethUsd: () => string | null): void {
    this.#members.add(subscription)
    this.#tell(answer)
    subscription.subscribed(answer?.sequence ?? null)
    if (answer !== null && isOwed(answer.sequence, held)) subscription.snapshot(answer.frame(ethUsd()))
  }

  /** Answers all who wait. */
  admitWaiting(answer: Answer, ethUsd: () => string | null): void {
    for (const [subscription, { held, answers }] of this.#waiting) {
      for (let extra = 1; extra < answers; extra++) subscription.subscribed(answer?.sequence ?? null)
      this.#waiting.delete(subscription)
      this.admit(subscription, held, answer, ethUsd)
    }
  }

  remove(subscription: Subscription): void {
    this.#members.delete(subscription)
    this.#waiting.delete(subscription)
  }

  /**
   * Offers what was committed to every member: the hot loop of the service. Nothing is encoded when there is none.
   *
   * Cost per member: one call that notes a reference.
   */
  update(update: TokenUpdate, ethUsd: () => string | null): void {
    if (this.#members.size === 0) return
    const frame = update.frame(ethUsd())
    this.#tell(update)
    for (const member of this.#members) if (member.update(frame)) this.#conflated++
  }

  /** Offers to every member the state that was read anew; who has it ignores it. */
  resync(update: TokenUpdate, ethUsd: () => string | null): void {
    if (this.#members.size === 0) return
    const frame = update.frame(ethUsd())
    this.#tell(update)
    for (const member of this.#members) member.snapshot(frame)
  }

  /** Walks all subscribers: for operators, not for every update. */
  counts(): Readonly<Record<Transport | 'lagging', number>> {
    const counts = { webSocket: 0, eventStream: 0, lagging: 0 }
    for (const subscription of [...this.#members, ...this.#waiting.keys()]) {
      counts[subscription.transport]++
      if (subscription.lagging) counts.lagging++
    }
    return counts
  }

  #tell(answer: Answer): void {
    if (answer !== null) this.#told = Math.max(answer.sequence, this.#told ?? 0)
  }
}

function lesser(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.min(a, b)
}
