import type { Config, LaunchpadConfig } from '#config'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import type { IndexerState } from '#domain/health.ts'
import type { ErrorCode } from '#errors'
import type { MetadataView } from '#jobs/metadata/metadataReader.ts'
import type { ChainView } from '#sync/healthReport.ts'
import type { EventLoopState } from '#telemetry/eventLoopWatch.ts'
import type { Turns } from '#telemetry/inTurns.ts'

/*
 * Everything that the two threads say to each other: plain data, since a copy of it arrives and copies of class instances lose their class.
 * Neither side sends without a bound: the indexing thread waits to hear that what it sent has been taken, and so does the main thread with
 * what it says of actors.
 */

/** What the indexing thread is started with: what there is before the configuration is read. */
export interface ThreadInput {
  /** What `process.hrtime` says when the main thread's `performance.now()` is 0, in ns: both threads then tell the time alike. */
  readonly clockOriginNs: bigint
  /** With which both threads log. */
  readonly turns: Turns
}

/** How the indexing thread is. */
export interface ThreadView {
  readonly state: IndexerState
  readonly chain: ChainView
  readonly metadata: MetadataView
  readonly eventLoop: EventLoopState
}

/** What an error that stands in the way of the start says across threads. */
export interface FailedStart {
  readonly code: ErrorCode
  readonly message: string
  readonly retryable: boolean
}

/** What a thread that is ready to index knows and the main thread needs. */
export interface OpenedThread {
  readonly chainId: number
  /** With the contracts that the chain told. */
  readonly launchpads: readonly LaunchpadConfig[]
  readonly view: ThreadView
}

export type ToIndexing =
  /** The first of all, once: connect to the chain. What comes of it is told when the thread is to open. */
  | { readonly kind: 'configure'; readonly config: Config }
  /** The database is migrated and this process may write it: claim it. Answered by `opened` or `failed`. */
  | { readonly kind: 'open'; readonly databaseUrl: string }
  /** Somebody takes the blocks: index. */
  | { readonly kind: 'index' }
  /** What was sent longest ago, and not told of yet, has been taken. */
  | { readonly kind: 'taken' }
  /** Tokens that have an actor since, or no longer. Answered by `noted`. */
  | { readonly kind: 'watched'; readonly began: readonly Address[]; readonly ended: readonly Address[] }
  /** A new price, to convert with until then on the common clock. */
  | { readonly kind: 'price'; readonly ethUsd: string; readonly untilMs: number }
  /** Begin no further commit. Answered by `ended`, after the block of the one under way. */
  | { readonly kind: 'stop' }
  /** Close connections and end the thread. */
  | { readonly kind: 'close' }

export type FromIndexing =
  | ({ readonly kind: 'opened' } & OpenedThread)
  | ({ readonly kind: 'failed' } & FailedStart)
  /** To be answered by `taken`, as is `view`. */
  | { readonly kind: 'committed'; readonly block: CommittedBlock; readonly view: ThreadView }
  | { readonly kind: 'view'; readonly view: ThreadView }
  | { readonly kind: 'noted' }
  | { readonly kind: 'ended' }
