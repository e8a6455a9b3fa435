import { sql } from 'kysely'
import { z } from 'zod'
import { type Address, type Hex, parseAddress } from '#domain/address.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { channelOfSchema, notify, type Queryable } from '#store/connection/databaseSchema.ts'
import type { TransactionDb } from '#store/connection/transaction.ts'
import { toBytes } from '#tables/columns.ts'

/*
 * A commit is announced right after it, by a notification that may fail or be lost: gateways also look for commits by themselves.
 * Within the commit's transaction, a notification that PostgreSQL can't queue would fail the commit.
 */

/** The channel on which commits are announced: `channelOfSchema` gives each schema one of its own. */
export const COMMITS_CHANNEL = 'tokenwire_commit'

/** What a commit announces to gateways. */
export interface Announcement extends Pick<CommittedBlock, 'number' | 'hash' | 'timestamp' | 'dropped'> {
  /** The number of the commit: one more than that of the commit before. */
  readonly commit: number
  /** `null`: any token may have changed, or too many for one notification have. */
  readonly changed: readonly Address[] | null
}

/** PostgreSQL takes no notification of 8,000 bytes or more. An address takes 45. */
const MAX_ADDRESSES = 160

/**
 * Numbers the commit, inside its transaction, and has it announced afterwards.
 *
 * @param changed `null`: any token may have changed
 */
export async function announceCommit(
  db: TransactionDb,
  { number, hash, timestamp }: Pick<CommittedBlock, 'number' | 'hash' | 'timestamp'>,
  changed: readonly Address[] | null,
  dropped: readonly Address[] = [],
): Promise<void> {
  const fits = changed !== null && changed.length + dropped.length <= MAX_ADDRESSES
  const announced = { number, hash, timestamp, ...(fits ? { changed, dropped } : { changed: null, dropped: [] }) }
  const { rows } = await sql<{ commit: number }>`update chain_state set commits = commits + 1 returning commits as commit`.execute(db)
  const [numbered] = rows
  if (numbered === undefined) return
  const payload = JSON.stringify({ ...numbered, ...announced })
  db.afterCommit(pool => notify(pool, channelOfSchema(COMMITS_CHANNEL), payload))
}

const whole = z.number().int().min(0)
const hash = z.custom<Hex>(value => typeof value === 'string' && /^0x[0-9a-f]{0,64}$/.test(value))

/**
 * The schema of an announcement with at most `maxAddresses` in a list. It reports at most one issue for a list, however long that is.
 */
export function announcementOf(maxAddresses: number) {
  const addresses = z.custom<readonly Address[]>(
    value => Array.isArray(value) && value.length <= maxAddresses && value.every(one => parseAddress(one) === one),
  )
  return z.object({ commit: whole, number: whole, hash, timestamp: whole, changed: addresses.nullable(), dropped: addresses })
}

const announcementSchema = announcementOf(MAX_ADDRESSES)

/** @throws when the payload is no announcement: every role that may connect to the database may send notifications */
export function parseAnnouncement(payload: string): Announcement {
  return announcementSchema.parse(JSON.parse(payload))
}

/** The newest commit that this database shows; a replica may be behind the primary. `null`: no indexer has claimed the database yet. */
export async function readNewestCommit(db: Queryable): Promise<Omit<Announcement, 'changed' | 'dropped'> | null> {
  const { rows } = await sql<Omit<Announcement, 'changed' | 'dropped'>>`
    select commits as commit, coalesce(cursor_number, 0) as number, coalesce(cursor_hash, ''::bytea) as hash,
      coalesce(cursor_timestamp, 0) as timestamp from chain_state`.execute(db)
  return rows[0] ?? null
}

/** The sequences of those tokens that are indexed. */
export async function readSequences(db: Queryable, tokens: readonly Address[]): Promise<ReadonlyMap<Address, number>> {
  const { rows } = await sql<{ address: Address; sequence: number }>`
    select address, sequence from token where address = any(${tokens.map(toBytes)}::bytea[])`.execute(db)
  return new Map(rows.map(({ address, sequence }) => [address, sequence]))
}
