import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { FeedHealth } from '#resources/health.ts'

/*
 * The interface between the indexer and gateways. A feed is the gateway's end. Each carrier has a feed in a file of its own: threads,
 * PostgreSQL's NOTIFY, NATS. Carriers know nothing of actors, and actors know nothing of the carrier of their blocks.
 *
 * What every feed promises, and `test/bus/feedCases.ts` tests:
 *
 * - It passes on only changes that have committed and that this gateway's database shows.
 * - In the end it passes on the newest state of every watched token that changed, whatever message or connection was lost. States in
 *   between may be left out.
 * - It passes on the states of a token in rising order of their sequence; a state may come twice.
 */

/** What receives committed blocks: the registry of actors, and the cached answers. */
export interface BlockConsumer {
  /**
   * A commit, or several as one, changed rows of these tokens; `null`: of any. Called for every commit, also of tokens that are not
   * watched, when this gateway's database shows it and before its states are dispatched.
   */
  changed(tokens: Iterable<Address> | null): void
  /** Never throws, never waits. */
  dispatch(block: CommittedBlock): void
  /** The sequence of the state of a token that is held; `null`: no state is held. */
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
