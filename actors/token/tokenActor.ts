import { type Actor, createActor } from 'xstate'
import type { Address } from '#domain/address.ts'
import type { ActorState, ActorStateName } from '#domain/health.ts'
import type { TokenEvent } from './events.ts'
import type { TokenUpdate } from './frame.ts'
import type { createTokenMachine, TokenInput } from './machine.ts'
import { isOwed } from './sequence.ts'
import { SubscriberSet } from './subscriberSet.ts'

type Join = Extract<TokenEvent, { type: 'joined' }>

export type TokenMachine = ReturnType<typeof createTokenMachine>

export interface TokenActorOptions {
  readonly machine: TokenMachine
  readonly token: Address
  /** The actor that this one takes over from: its subscribers stay, and its failures count. */
  readonly replaces: TokenActor | null
  /** Monotonic, in ms. */
  readonly nowMs: number
  /** ISO 8601. */
  readonly activatedAt: string
  /** Called once when an action has thrown: the actor is stopped for good then and takes no more events. */
  readonly failed: (actor: TokenActor, error: unknown) => void
}

/** A running token machine with what operators want to know of it. */
export class TokenActor {
  readonly token: Address
  readonly subscribers: SubscriberSet
  readonly activatedAt: string
  /** Failures in a row of this actor's line of predecessors and itself, counted until one of them held for `FORGIVEN_AFTER_MS`. */
  readonly #earlierFailures: number
  readonly #startedAtMs: number
  readonly #actor: Actor<TokenMachine>
  #eventsHandled = 0

  constructor(options: TokenActorOptions) {
    const { machine, token, replaces, nowMs } = options
    this.token = token
    this.subscribers = replaces?.subscribers ?? new SubscriberSet()
    this.activatedAt = options.activatedAt
    this.#earlierFailures = replaces?.failuresAt(nowMs) ?? 0
    this.#startedAtMs = nowMs
    const input: TokenInput = {
      token,
      subscribers: this.subscribers,
      replaces: replaces === null ? null : { failures: this.#earlierFailures, nowMs },
    }
    this.#actor = createActor(machine, { input })
    // Without an observer XState would throw the error again in a macrotask and end the process.
    this.#actor.subscribe({ error: error => options.failed(this, error) })
  }

  get name(): ActorStateName {
    const { value } = this.#actor.getSnapshot()
    return value === 'beginning' ? 'activating' : value
  }

  get sequence(): number | null {
    return this.#actor.getSnapshot().context.newest?.sequence ?? null
  }

  /** Time of the commit of the newest state, ISO 8601. */
  get lastUpdateAt(): string | null {
    return this.#actor.getSnapshot().context.newest?.snapshot.token.updatedAt ?? null
  }

  start(): void {
    this.#actor.start()
  }

  /** Handles an event, with all that it causes, before it returns. Never throws. */
  send(event: TokenEvent): void {
    this.#eventsHandled++
    this.#actor.send(event)
  }

  /**
   * Lets somebody join. What is known needs no decision, so that a rush of subscribers to a live token does not pass through the machine one by one;
   * all else does, and whatever fails. Never throws.
   */
  join(event: Join, ethUsd: () => string | null): void {
    const { status, context } = this.#actor.getSnapshot()
    if (status === 'active' && context.newest !== undefined && this.#admit(event, context.newest, ethUsd)) this.#eventsHandled++
    else this.send(event)
  }

  /** Whether it worked: what fails here is the machine's, which meets the same error and fails over it. */
  #admit({ subscription, held }: Join, newest: TokenUpdate | null, ethUsd: () => string | null): boolean {
    try {
      // Encoded first: nobody hears that it is subscribed from an actor that has nothing to send.
      if (newest !== null && isOwed(newest.sequence, held)) newest.frame(ethUsd())
      this.subscribers.admit(subscription, held, newest, ethUsd)
      return true
    } catch {
      return false
    }
  }

  stop(): void {
    this.#actor.stop()
  }

  /** Failures in a row, should this actor fail now. */
  failuresAt(nowMs: number): number {
    return nowMs - this.#startedAtMs >= FORGIVEN_AFTER_MS ? 1 : this.#earlierFailures + 1
  }

  state(): ActorState {
    const newest = this.#actor.getSnapshot().context.newest ?? null
    return {
      token: this.token,
      state: this.name,
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
}

/** An actor that failed after it had worked for so long begins to count anew. */
const FORGIVEN_AFTER_MS = 60_000
