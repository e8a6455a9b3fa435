import type { CommittedBlock } from '#domain/committedBlock.ts'
import type { MetadataRecord, MetadataWork, WaitingToken } from '#domain/metadata.ts'
import type { Transaction } from '#store/connection/oneAtATime.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { lockCursor, readClockMs } from '#store/rows/cursor.ts'
import {
  announceMetadata,
  countQueuedMetadata,
  type DueInput,
  readDueMetadata,
  readUnannounced,
  recordMetadata,
  resumeMetadata,
} from '#store/rows/metadata.ts'

/** Where the work comes from and where its results go. Everything rejects with the database's error, and may then be called again. */
export interface MetadataStore {
  due(wanted: readonly DueInput[], underWay: readonly MetadataWork['key'][]): Promise<readonly MetadataWork[]>
  record(records: readonly MetadataRecord[]): Promise<void>
  /** Makes due what was set aside with these outcomes. */
  resume(outcomes: readonly string[]): Promise<void>
  /** Tokens whose documents are there and not shown, at most so many. */
  unannounced(limit: number): Promise<readonly WaitingToken[]>
  /**
   * Lets tokens show their documents, in a commit of its own between those of blocks. The same tokens again give the same answer, so a commit of
   * unknown outcome is simply repeated.
   *
   * @returns what to tell of it; `null`: nothing
   * @throws `TokenwireError` `database_taken` when another process has become the writer
   */
  announce(waiting: readonly WaitingToken[]): Promise<CommittedBlock | null>
  /** How many URIs are to be read, counted up to `most`. */
  queued(most: number): Promise<number>
}

export interface MetadataStoreOptions {
  readonly db: Queryable
  /** The one of the indexer, in turn with its commits. */
  readonly transaction: Transaction
  /** The name under which the database was claimed. */
  readonly writer: string
  /** Monotonic milliseconds. */
  readonly now: () => number
}

export function createMetadataStore({ db, transaction, writer, now }: MetadataStoreOptions): MetadataStore {
  return {
    due: (wanted, underWay) => readDueMetadata(db, wanted, underWay),
    record: records => recordMetadata(db, records),
    resume: outcomes => resumeMetadata(db, outcomes),
    unannounced: limit => readUnannounced(db, limit),
    queued: most => countQueuedMetadata(db, most),
    announce: async waiting => {
      const cursor = await transaction(async tx => {
        const cursor = await lockCursor(tx, writer)
        await announceMetadata(tx, waiting, await readClockMs(tx))
        return cursor
      })
      const unread = waiting.flatMap(({ token }) => (token === null ? [] : [token]))
      if (cursor === null || unread.length === 0) return null
      const { number, hash, timestamp } = cursor
      // Not read here: hardly any of them is watched, and those who watch one read it themselves.
      return { number, hash, timestamp, completedAtMs: now(), tokens: [], unread, dropped: [] }
    },
  }
}
