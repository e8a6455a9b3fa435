import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import type { FeedHealth } from '#domain/health.ts'

/*
 * The interface between the indexer and gateways. A feed is a gateway's end of it; each carrier has one, in a file of its own: threads,
 * PostgreSQL's NOTIFY, NATS. What is behind a feed knows nothing of actors, and actors know nothing of what carries their blocks.
 *
 * What every feed promises, and `test/bus/feedCases.ts` tests:
 *
 * - It passes on what has committed and this gateway's database shows, and nothing else.
 * - It passes on the newest state of every watched token that changed, in time, after any message or connection was lost. States in between
 *   may be left out.
 * - Of one token it passes states on in rising order of their sequence; a state may come twice.
 */

/** What receives committed blocks: the registry of actors, and the answers that are kept. */
export interface BlockConsumer {
  /**
   * A commit, or several as one, changed rows of these tokens; `null`: of any. Called for every commit, also of tokens that are not
   * watched, when this gateway's database shows it and before its states are dispatched.
   */
  changed(tokens: Iterable<Address> | null): void
  /** Never throws, never waits. */
  dispatch(block: CommittedBlock): void
  /** The sequence of the state that is held of a token; `null`: none. */
  sequence(token: Address): number | null
}

export interface BlockFeed {
  /** The token is watched: changes of its state are passed on from now on. Its current state is not. */
  watch(token: Address): void
  unwatch(token: Address): void
  /** Begins to pass blocks on. To be called once. */
  start(consumer: BlockConsumer): void
  health(): FeedHealth
  /** Passes nothing on after it has resolved. */
  stop(): Promise<void>
}
