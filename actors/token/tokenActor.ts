import { type Actor, createActor } from 'xstate'
import type { Address } from '#domain/address.ts'
import type { ActorStateName } from '#domain/health.ts'
import type { ActorState } from '#resources/actors.ts'
import type { ActorEvent } from './actorEvent.ts'
import type { FramedSnapshot } from './frame.ts'
import type { createTokenMachine, TokenInput } from './machine.ts'
import { needsSnapshot } from './sequence.ts'
import type { SubscriberSet } from './subscriberSet.ts'
import type { UnknownToken } from './unknownToken.ts'

type Join = Extract<ActorEvent, { type: 'joined' }>

export type TokenMachine = ReturnType<typeof createTokenMachine>

export interface TokenActorOptions {
  readonly machine: TokenMachine
  /** The actor takes over the predecessor's token, subscribers and count of events. */
  readonly predecessor: UnknownToken | TokenActor
  /** The predecessor's failures in a row; 0: it has not failed, and the actor's first event is the token's first state. */
  readonly failures: number
  readonly nowMs: number
  readonly activatedAt: string
  /** Called once, when an action has thrown: XState has then stopped the actor for good. */
  readonly onFailure: (actor: TokenActor, error: unknown) => void
}

export class TokenActor {
  readonly token: Address
  readonly subscribers: SubscriberSet
  readonly activatedAt: string
  /** Consecutive failures of the actors before this one, counted since the last that ran for `FORGIVEN_AFTER_MS`. */
  readonly #earlierFailures: number
  readonly #startedAtMs: number
  readonly #actor: Actor<TokenMachine>
  #eventsHandled: number

  constructor(options: TokenActorOptions) {
    const { machine, predecessor, failures, nowMs } = options
    const { token, subscribers } = predecessor
    this.token = token
    this.subscribers = subscribers
    this.activatedAt = options.activatedAt
    this.#eventsHandled = predecessor.eventsHandled
    this.#earlierFailures = failures
    this.#startedAtMs = nowMs
    const input: TokenInput = { token, subscribers, replaces: failures === 0 ? null : { failures, nowMs } }
    this.#actor = createActor(machine, { input })
    // Without an observer XState rethrows the error in a macrotask, which ends the process.
    this.#actor.subscribe({ error: error => options.onFailure(this, error) })
  }

  get eventsHandled(): number {
    return this.#eventsHandled
  }

  get name(): ActorStateName {
    const { value } = this.#actor.getSnapshot()
    return value === 'beginning' ? 'activating' : value
  }

  get sequence(): number | null {
    return this.#actor.getSnapshot().context.newest?.sequence ?? null
  }

  get lastUpdateAt(): string | null {
    return this.#actor.getSnapshot().context.newest?.snapshot.token.updatedAt ?? null
  }

  start(): void {
    this.#actor.start()
  }

  send(event: ActorEvent): void {
    this.#eventsHandled++
    this.#actor.send(event)
  }

  /** While the state is known the answer needs no decision and bypasses the machine, for rushes of subscribers. Never throws. */
  join(event: Join, ethUsd: () => string | null): void {
    const { status, context } = this.#actor.getSnapshot()
    if (status === 'active' && context.newest !== undefined && this.#admit(event, context.newest, ethUsd)) this.#eventsHandled++
    else this.send(event)
  }

  /** Returns whether it succeeded. If not, the machine will meet the same error, and the actor is replaced. */
  #admit({ subscription, lastSequence }: Join, newest: FramedSnapshot | null, ethUsd: () => string | null): boolean {
    try {
      // Encoded first: a client must not be told that it is subscribed when its snapshot can't be encoded.
      if (newest !== null && needsSnapshot(newest.sequence, lastSequence)) newest.frame(ethUsd())
      this.subscribers.admit(subscription, lastSequence, newest, ethUsd)
      return true
    } catch {
      return false
    }
  }

  stop(): void {
    this.#actor.stop()
  }

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

/** The failure of an actor that ran for this long counts as the first. */
const FORGIVEN_AFTER_MS = 60_000
