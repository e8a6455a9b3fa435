import type { Logger } from 'pino'
import type { Observable, SchedulerLike } from 'rxjs'
import type { ChainSource } from '#chain/chainSource.ts'
import type { HeadHint } from '#chain/heads.ts'
import type { Clock } from '#clock'
import type { Confirmations } from '#config'
import type { Hex } from '#domain/address.ts'
import type { Rpc } from '#rpc/rpc.ts'
import type { Committer } from './committer.ts'
import type { SpanSource } from './fetch/span.ts'
import type { SyncHealth } from './health.ts'
import type { RangeBounds } from './rangeSize.ts'
import type { Watchlist } from './watchlist.ts'

export interface SyncOptions {
  readonly rpc: Pick<Rpc, 'health' | 'troubles' | 'lastAnswerAtMs' | 'subscribeHeads'>
  readonly source: ChainSource
  /** What old blocks are fetched from. Default: the chain. */
  readonly ranges?: SpanSource['source']
  readonly committer: Committer
  readonly watchlist: Watchlist
  readonly confirmations: Confirmations
  /** The hash of block 0, by which the database knows its chain: an index begins on no other one. */
  readonly genesisHash: Hex
  /** Reorgs up to this depth are replaced in one transaction. A deeper one ends indexing. */
  readonly maxReorgDepth: number
  readonly logger: Logger
  /** Of the synchronisation of the same index that this one continues. Default: nothing is known yet. */
  readonly health?: SyncHealth | undefined
  /** How far before the confirmed head blocks are followed, and how large ranges before them are. Default: `TUNING`. */
  readonly tuning?: Partial<Tuning>
  /** Where time comes from. Default: real time. */
  readonly time?: SyncTime
  /** Default: the provider's pushed heads, or polling in step with its blocks. */
  readonly hints?: Observable<HeadHint>
}

export interface Tuning {
  readonly followBlocks: number
  readonly liveBlocks: number
  readonly ranges: RangeBounds
}

export interface SyncTime {
  readonly clock: Clock
  /** For the waits between attempts. */
  readonly scheduler: SchedulerLike
  /** 0 to 1, spreads the waits. */
  readonly random: () => number
}
