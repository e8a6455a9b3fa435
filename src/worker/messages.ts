import type { EncodedBlock } from '#bus/blockFeed.ts'
import type { Config, LaunchpadsConfig } from '#config'
import type { Address } from '#domain/address.ts'
import type { ErrorCode } from '#errors'
import type { MetadataView } from '#jobs/metadata/metadataReader.ts'
import type { ChainView, IndexerState } from '#resources/health.ts'
import type { SkippedLogs } from '#sync/committer.ts'
import type { EventLoopState } from '#telemetry/eventLoopWatch.ts'

/*
 * The messages between the indexing thread and the others. They are plain data: the structured clone of a class instance loses its class.
 * Neither side sends without a bound: the indexing thread waits for `received`, and a receiver for `watchedReceived` before the next notice
 * of actors.
 */

export interface ThreadView {
  readonly state: IndexerState
  readonly chain: ChainView
  readonly metadata: MetadataView
  readonly skippedLogs: readonly SkippedLogs[]
  readonly eventLoop: EventLoopState
}

export interface OpenedThread {
  readonly chainId: number
  /** What the index is of. */
  readonly launchpads: LaunchpadsConfig
  /** The name under which this process has claimed the database. */
  readonly writer: string
  readonly view: ThreadView
}

/** To the main thread, which receives committed blocks. */
export type ToReceiver =
  /** Answered by `received`, as is `view`. */
  | { readonly kind: 'committed'; readonly block: EncodedBlock; readonly view: ThreadView }
  | { readonly kind: 'view'; readonly view: ThreadView }
  | { readonly kind: 'watchedReceived' }

export type FromReceiver =
  /** Acknowledges the oldest unacknowledged `committed` or `view`. */
  | { readonly kind: 'received' }
  /** Tokens that have got or lost their actor since the last notice. Answered by `watchedReceived`. */
  | { readonly kind: 'watched'; readonly began: readonly Address[]; readonly ended: readonly Address[] }

export type ToIndexing =
  | FromReceiver
  /** The first message, once: connect to the chain. The outcome is reported after `open`. */
  | { readonly kind: 'configure'; readonly config: Config }
  /** Compares chain and launchpads with the database, and writes nothing. Answered by `checked` or `failed`. */
  | { readonly kind: 'check'; readonly databaseUrl: string }
  /** The database is migrated and locked by this process: claim it. Answered by `opened` or `failed`. */
  | { readonly kind: 'open'; readonly databaseUrl: string }
  | { readonly kind: 'index' }
  /** `launchpads.json` has other content than before. */
  | { readonly kind: 'want'; readonly launchpads: LaunchpadsConfig }
  /** A new price, valid until `untilMs` of `monotonicMs`. */
  | { readonly kind: 'price'; readonly ethUsd: string; readonly untilMs: number }
  /** Answered by `ended`, after the block of the commit under way. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'close' }

export type FromIndexing =
  | ToReceiver
  | { readonly kind: 'checked' }
  | ({ readonly kind: 'opened' } & OpenedThread)
  /** The index has other launchpads than before. Sent before the commit that made it so. */
  | { readonly kind: 'launchpads'; readonly launchpads: LaunchpadsConfig }
  /** Another process has become the writer: nothing more is indexed. */
  | { readonly kind: 'writerChanged' }
  /** The error that prevents the start. */
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly retryable: boolean }
  | { readonly kind: 'ended' }
