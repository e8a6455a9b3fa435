import type { Address } from '#domain/address.ts'
import type { OutboxSubscription } from '#gateway/outbox/outboxSubscription.ts'

/** One connection's subscriptions by token. Most connections have one, and a `Map` takes more memory than the rest of a connection. */
export class Subscriptions {
  #only: OutboxSubscription | null = null
  /** All subscriptions, once there have been two. */
  #all: Map<Address, OutboxSubscription> | null = null

  get size(): number {
    if (this.#all !== null) return this.#all.size
    return this.#only === null ? 0 : 1
  }

  get(token: Address): OutboxSubscription | undefined {
    if (this.#all !== null) return this.#all.get(token)
    return this.#only?.token === token ? this.#only : undefined
  }

  add(subscription: OutboxSubscription): void {
    if (this.size === 0) this.#only = subscription
    else {
      this.#all ??= new Map(this.#only === null ? [] : [[this.#only.token, this.#only]])
      this.#all.set(subscription.token, subscription)
      this.#only = null
    }
  }

  remove(token: Address): void {
    if (this.#only?.token === token) this.#only = null
    this.#all?.delete(token)
    if (this.#all?.size === 0) this.#all = null
  }

  /** A copy, so that the caller may remove while iterating. */
  values(): readonly OutboxSubscription[] {
    if (this.#all !== null) return [...this.#all.values()]
    return this.#only === null ? [] : [this.#only]
  }
}
