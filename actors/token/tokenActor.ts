import { type ActorRefFrom, createActor, fromTransition, type TransitionActorLogic } from 'xstate'
import type { Address } from '#domain/address.ts'
import type { ActorState, ActorStateName } from '#resources/actors.ts'
import type { FramedSnapshot } from './frame.ts'
import { SubscriberSet } from './subscriberSet.ts'
import { ACTIVATING, type ActorEvent, afterTokenEvent, replacing, type TokenEffect, type TokenState } from './tokenState.ts'

type Logic = TransitionActorLogic<TokenState, ActorEvent, undefined>

export interface TokenActorOptions {
  readonly token: Address
  /** Starts to load the token and must not throw. `loaded` or `loadFailed` is sent later, never from inside this call. */
  readonly load: (token: Address) => void
  /** USD per ETH as a plain decimal; `null`: no price may be shown. */
  readonly ethUsd: () => string | null
  /** Called once, when an effect has thrown: XState has then stopped the actor for good. */
  readonly onFailure: (actor: TokenActor, error: unknown) => void
  readonly nowMs: number
  readonly activatedAt: string
}

/** What an actor takes over from the one that failed before it. */
export interface Predecessor {
  readonly subscribers: SubscriberSet
  readonly eventsHandled: number
  /** Its failures in a row, at least 1. */
  readonly failures: number
}

/** The failure of an actor that has run for this long counts as the first one. */
const FORGIVEN_AFTER_MS = 60_000

/**
 * The actor of a watched address. `afterTokenEvent` decides, and the actor performs the effects.
 *
 * The XState actor starts with the token's first state. A client may subscribe to any address, and for one that is no token an XState actor
 * would cost seven times the memory (0007).
 */
export class TokenActor {
  readonly token: Address
  readonly activatedAt: string
  readonly subscribers: SubscriberSet
  readonly #load: TokenActorOptions['load']
  readonly #ethUsd: TokenActorOptions['ethUsd']
  readonly #startedAtMs: number
  readonly #earlierFailures: number
  readonly #onFailure: TokenActorOptions['onFailure']
  /** The state as long as there is no XState actor. */
  #unknown: TokenState
  #actor: ActorRefFrom<Logic> | null = null
  #eventsHandled: number

  constructor({ token, load, ethUsd, onFailure, nowMs, activatedAt }: TokenActorOptions, predecessor: Predecessor | null = null) {
    this.token = token
    this.activatedAt = activatedAt
    this.subscribers = predecessor?.subscribers ?? new SubscriberSet()
    this.#load = load
    this.#ethUsd = ethUsd
    this.#startedAtMs = nowMs
    this.#earlierFailures = predecessor?.failures ?? 0
    this.#eventsHandled = predecessor?.eventsHandled ?? 0
    this.#onFailure = onFailure
    this.#unknown = predecessor === null ? ACTIVATING : replacing(predecessor.failures, nowMs)
    if (predecessor === null) load(token)
  }

  get eventsHandled(): number {
    return this.#eventsHandled
  }

  get name(): ActorStateName {
    return this.#state.name
  }

  get sequence(): number | null {
    return this.#state.newest?.sequence ?? null
  }

  get lastUpdateAt(): string | null {
    return this.#state.newest?.snapshot.token.updatedAt ?? null
  }

  get #state(): TokenState {
    return this.#actor?.getSnapshot().context ?? this.#unknown
  }

  send(event: ActorEvent): void {
    this.#eventsHandled++
    if (this.#actor === null && carriesState(event)) this.#actor = this.#start()
    if (this.#actor !== null) return this.#actor.send(event)
    try {
      this.#unknown = this.#after(this.#unknown, event)
    } catch (error) {
      this.#onFailure(this, error)
    }
  }

  failuresAt(nowMs: number): number {
    return nowMs - this.#startedAtMs >= FORGIVEN_AFTER_MS ? 1 : this.#earlierFailures + 1
  }

  state(): ActorState {
    const { name, newest } = this.#state
    return {
      token: this.token,
      state: name,
      sequence: this.sequence,
      subscribers: this.subscribers.counts(),
      lastUpdateAt: this.lastUpdateAt,
      lastBlock: newest?.snapshot.token.asOfBlock ?? null,
      frameBytes: newest?.frameBytes ?? null,
      activatedAt: this.activatedAt,
      eventsHandled: this.#eventsHandled,
      conflated: this.subscribers.conflated,
    }
  }

  #start(): ActorRefFrom<Logic> {
    const logic: Logic = fromTransition((state: TokenState, event: ActorEvent) => this.#after(state, event), this.#unknown)
    const actor = createActor(logic)
    // Without an observer XState rethrows the error in a macrotask, which ends the process.
    actor.subscribe({ error: error => this.#onFailure(this, error) })
    return actor.start()
  }

  #after(state: TokenState, event: ActorEvent): TokenState {
    const step = afterTokenEvent(state, event, this.subscribers)
    for (const effect of step.effects) this.#perform(effect, step.state.newest ?? null)
    return step.state
  }

  #perform(effect: TokenEffect, newest: FramedSnapshot | null): void {
    switch (effect.type) {
      case 'load':
        this.#load(this.token)
        break
      case 'wait':
        this.subscribers.wait(effect.joined.subscription, effect.joined.lastSequence)
        break
      case 'admit':
        this.subscribers.admit(effect.joined.subscription, effect.joined.lastSequence, newest, this.#ethUsd)
        break
      case 'admitWaiting':
        this.subscribers.admitWaiting(newest, this.#ethUsd)
        break
      case 'remove':
        this.subscribers.remove(effect.left.subscription)
        break
      case 'update':
        if (newest !== null) this.subscribers.update(newest, this.#ethUsd)
        break
      case 'resync':
        if (newest !== null) this.subscribers.resync(newest, this.#ethUsd)
        break
    }
  }
}

function carriesState(event: ActorEvent): boolean {
  return (event.type === 'committed' || event.type === 'loaded') && event.snapshot !== null
}
