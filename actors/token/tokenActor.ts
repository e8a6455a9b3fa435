import { type Actor, createActor } from 'xstate'
import type { Address } from '#domain/address.ts'
import type { ActorState, ActorStateName } from '#domain/health.ts'
import type { TokenEvent } from './events.ts'
import type { TokenUpdate } from './frame.ts'
import type { createTokenMachine, TokenInput } from './machine.ts'
import { isOwed } from './sequence.ts'
import { SubscriberSet } from './subscriberSet.ts'

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
   * all else does, a state that can't be encoded too.
   */
  join(event: Extract<TokenEvent, { type: 'joined' }>, ethUsd: () => string | null): void {
    const { newest } = this.#actor.getSnapshot().context
    if (newest === undefined || this.#actor.getSnapshot().status !== 'active' || !canEncode(newest, event.held, ethUsd)) {
      this.send(event)
      return
    }
    this.#eventsHandled++
    this.subscribers.admit(event.subscription, event.held, newest, ethUsd)
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

/** Makes the frame when it is needed next. */
function canEncode(newest: TokenUpdate | null, held: number | null, ethUsd: () => string | null): boolean {
  try {
    if (newest !== null && isOwed(newest.sequence, held)) newest.frame(ethUsd())
    return true
  } catch {
    // The machine meets the same error, and fails over it as it does over any other.
    return false
  }
}
