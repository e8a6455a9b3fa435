import type { ChannelPosition } from '#domain/eventPlace.ts'
import type { UpdatedState } from '#protocol/tokenUpdate.ts'

/**
 * A state in the form in which subscribers were sent it, which their next delta changes. It is kept as long as it is the last one that
 * some subscriber with deltas was sent. A subscriber whose state is not kept gets a full update.
 */
export class SentState {
  readonly position: ChannelPosition
  readonly #recent: SentStates
  #update: UpdatedState | null = null
  #receivers = 0

  constructor(position: ChannelPosition, recent: SentStates) {
    this.position = position
    this.#recent = recent
  }

  /** The sent form; `null`: it is no longer kept. */
  get update(): UpdatedState | null {
    return this.#update
  }

  /** Counts another subscriber that was sent the state. */
  receive(update: UpdatedState): void {
    this.#update = update
    if (this.#receivers++ === 0) this.#recent.add(this)
  }

  /** Counts out a receiver that was sent a later state, or has left. */
  release(): void {
    if (--this.#receivers === 0) this.forget()
  }

  forget(): void {
    this.#update = null
  }
}

/** The most states of a token that are kept, each of at most 16 KB as JSON. There is one if all readers keep up. */
const MAX_SENT_STATES = 8

/** The states of one token that were sent last. Older ones are forgotten, however many readers still have them. */
export class SentStates {
  #states: readonly SentState[] = []

  add(state: SentState): void {
    const kept = this.#states.filter(one => one.update !== null && one !== state)
    if (kept.length === MAX_SENT_STATES) kept.shift()?.forget()
    this.#states = [...kept, state]
  }
}
