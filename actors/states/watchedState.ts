/** The answer to a watched query after a commit, encoded once for all of its subscribers. */
export interface WatchedState<Self> {
  /** Rises with each state. */
  readonly sequence: number
  /** The end of its message's type, after the name of the channel. */
  readonly kind: '' | '.delta'
  /** The fields of a message besides `type`, `id` and `sequence`, as JSON without braces. */
  readonly fields: string
  /** The message that completes the state after this one; `null`: the state is complete. */
  readonly rest: Self | null
  /** The state for a client that has none of the earlier states. */
  readonly whole: Self
  /** The state for a client that has not been sent `unsent`, which this state replaces. */
  replacing(unsent: Self): Self
}

/** One connection's interest in a state. It only notes the state, which replaces an unwritten one. It never waits, throws or calls back. */
export interface StateSubscriber<State> {
  /** The client whose share of the watched queries the subscriber takes. */
  readonly client: string
  state(state: State): void
}
