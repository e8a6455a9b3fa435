/** The answer to a watched query after a commit, encoded once for all of its subscribers. */
export interface WatchedState<Self> {
  /** Rises with each state. */
  readonly sequence: number
  /** What the type of its message has after the name of the channel. */
  readonly kind: '' | '.delta'
  /** The fields of a message besides `type`, `id` and `sequence`, as JSON without braces. */
  readonly fields: string
  /** What completes the state after this message; `null`: it is complete. */
  readonly rest: Self | null
  /** The state for a client that has none of the earlier states. */
  readonly whole: Self
  /** The state for a client that has not been sent an earlier one, which this one replaces. */
  replacing(unsent: Self): Self
}

/** One connection's interest in a state. It never waits, throws or calls back: it notes the state, which replaces an unwritten one. */
export interface StateSubscriber<State> {
  /** The client whose share of the watched queries the subscriber takes. */
  readonly client: string
  state(state: State): void
}
