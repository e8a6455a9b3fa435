import type { Address } from '#domain/address.ts'
import type { ActorStateName } from '#domain/health.ts'
import type { ActorState } from '#resources/actors.ts'
import type { ActorEvent } from './actorEvent.ts'
import { IDLE_SWEEPS, loadRetryMs } from './machine.ts'
import { SubscriberSet } from './subscriberSet.ts'

export interface UnknownTokenOptions {
  readonly token: Address
  readonly activatedAt: string
  /** Starts to look the token up and must not throw. */
  readonly load: (token: Address) => void
}

/**
 * A watched address of which no state is known: it is looked up, or is not indexed. It answers subscribers as the token's actor would,
 * which takes its place with the first state. A client may subscribe to any address: this costs a fraction of an actor.
 *
 * Its states have the names of the machine's:
 *
 * - `activating`: it is looked up for the first subscribers, who wait.
 * - `live`: it is not indexed.
 * - `resyncing`: a look-up has failed, or a commit has changed the token without carrying its state. It is looked up again.
 * - `passivated`: there was no subscriber for a while.
 */
export class UnknownToken {
  readonly token: Address
  readonly activatedAt: string
  readonly subscribers = new SubscriberSet()
  readonly sequence = null
  readonly lastUpdateAt = null
  readonly #load: (token: Address) => void
  #name: ActorStateName = 'activating'
  /** Set by the database's answer, or by a reorg. Stays true while the token is looked up again. */
  #isNotIndexed = false
  #failures = 0
  #retryAtMs: number | null = null
  #idleSweeps = 0
  #eventsHandled = 0

  constructor({ token, activatedAt, load }: UnknownTokenOptions) {
    this.token = token
    this.activatedAt = activatedAt
    this.#load = load
  }

  get name(): ActorStateName {
    return this.#name
  }

  get eventsHandled(): number {
    return this.#eventsHandled
  }

  start(): void {
    this.#load(this.token)
  }

  /**
   * Handles an event without a state. The registry replaces this with a token actor at the first event that has one.
   *
   * @throws what a subscription throws, which none should
   */
  send(event: ActorEvent): void {
    this.#eventsHandled++
    switch (event.type) {
      case 'joined':
        if (this.#isNotIndexed) this.subscribers.admit(event.subscription, event.lastSequence, null, withoutPrice)
        else this.subscribers.wait(event.subscription, event.lastSequence)
        break
      case 'left':
        this.subscribers.remove(event.subscription)
        this.#idleSweeps = 0
        break
      case 'committed':
        break
      case 'loaded':
      case 'dropped':
        this.#name = 'live'
        this.#isNotIndexed = true
        this.#failures = 0
        this.#retryAtMs = null
        this.subscribers.admitWaiting(null, withoutPrice)
        break
      case 'loadFailed':
        this.#name = 'resyncing'
        this.#failures++
        this.#retryAtMs = event.nowMs + loadRetryMs(this.#failures)
        break
      case 'stale':
        if (this.#isNotIndexed) this.#name = 'resyncing'
        this.#retryAtMs = null
        this.#load(this.token)
        break
      case 'swept':
        this.#sweep(event.nowMs)
        break
      case 'evicted':
        if (this.subscribers.size === 0) this.#name = 'passivated'
        break
    }
  }

  #sweep(nowMs: number): void {
    if (this.subscribers.size === 0) this.#idleSweeps++
    if (this.#idleSweeps >= IDLE_SWEEPS) this.#name = 'passivated'
    else if (this.#retryAtMs !== null && nowMs >= this.#retryAtMs) {
      this.#retryAtMs = null
      this.#load(this.token)
    }
  }

  /** The successor of a failed `UnknownToken` starts with the first back-off. */
  failuresAt(): number {
    return 1
  }

  stop(): void {
    this.#name = 'passivated'
  }

  state(): ActorState {
    return {
      token: this.token,
      state: this.#name,
      sequence: null,
      subscribers: this.subscribers.counts(),
      lastUpdateAt: null,
      lastBlock: null,
      frameBytes: null,
      activatedAt: this.activatedAt,
      eventsHandled: this.#eventsHandled,
      conflated: 0,
    }
  }
}

/** Only a state is encoded with a price. */
const withoutPrice = () => null
