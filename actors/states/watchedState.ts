/** A state of what a query asks for, as it was after a commit, encoded once for all of its subscribers. */
export interface WatchedState<Self> {
  /** Rises with each state. */
  readonly sequence: number
  /** The fields of a message besides `type`, `id` and `sequence`, as JSON without braces. */
  readonly fields: string
  /** The state for a client that has none of the states before. */
  readonly whole: Self
  /** The state for a client that has not been sent an earlier one, which this one replaces. */
  replacing(unsent: Self): Self
}

/** One connection's interest in a state. It never waits, throws or calls back: it notes the state in place of one not written yet. */
export interface StateSubscriber<State> {
  /** Whose share of the watched queries it takes. */
  readonly client: string
  state(state: State): void
}
