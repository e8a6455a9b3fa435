import type { Address } from '#domain/address.ts'
import type { OutboxSubscription } from './outbox.ts'

/** The subscriptions of one connection by their tokens. Most connections have one, and a `Map` costs more memory than the rest of a connection. */
export class Subscriptions {
  #only: OutboxSubscription | null = null
  /** All of them, once there were two. */
  #all: Map<Address, OutboxSubscription> | null = null

  get size(): number {
    if (this.#all !== null) return this.#all.size
    return this.#only === null ? 0 : 1
  }

  get(token: Address): OutboxSubscription | undefined {
    if (this.#all !== null) return this.#all.get(token)
    return this.#only?.token === token ? this.#only : undefined
  }

  /** The token must have none yet. */
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

  /** As they are now: what is removed meanwhile is in it all the same. */
  values(): readonly OutboxSubscription[] {
    if (this.#all !== null) return [...this.#all.values()]
    return this.#only === null ? [] : [this.#only]
  }
}
