import { sql } from 'kysely'
import { type ChannelPosition, type EventPlace, LAST_LOG_INDEX } from '#domain/eventPlace.ts'
import { hasTable, type Queryable } from '#store/connection/databaseSchema.ts'

/* Times are those of the database's clock, since another process may send later on. */

const NOW = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`
const NEWEST_REORG = sql`(select coalesce(max(number), 0) from reorg)`

/** How far a webhook has been sent. */
export interface WebhookProgress {
  readonly name: string
  readonly position: ChannelPosition
  /** Rises when a process begins to send and with each replay. Only the owner of the newest version can write. */
  readonly version: number
  readonly isPaused: boolean
  /** How many attempts in a row to send the next message have failed. */
  readonly failures: number
  /** How long these attempts and the pauses between them took; `null`: none has failed. */
  readonly failingForMs: number | null
  /** The time until the next attempt; 0: now. */
  readonly waitMs: number
  readonly lastError: string | null
}

interface StoredProgress extends Omit<WebhookProgress, 'position'> {
  readonly blockNumber: number
  readonly logIndex: number
  readonly reorgs: number
}

const PROGRESS = sql`webhook_position.name, webhook_position.block_number as "blockNumber", webhook_position.log_index as "logIndex",
  webhook_position.reorgs, webhook_position.version, is_paused as "isPaused", failures, last_error as "lastError",
  greatest(0, least(${NOW}, coalesce(next_attempt_at_ms, ${NOW})) - failing_since_ms) as "failingForMs", greatest(0, coalesce(next_attempt_at_ms - ${NOW}, 0)) as "waitMs"`

const toProgress = ({ blockNumber, logIndex, reorgs, ...row }: StoredProgress): WebhookProgress => ({
  ...row,
  position: { place: { blockNumber, logIndex }, reorgs },
})

/** The progress of every webhook that has a position. */
export async function readWebhooks(db: Queryable): Promise<readonly WebhookProgress[]> {
  const { rows } = await sql<StoredProgress>`select ${PROGRESS} from webhook_position order by name`.execute(db)
  return rows.map(toProgress)
}

/**
 * Makes the caller the owner of a webhook's position. No earlier owner can change it from then on.
 *
 * @param after the block after which a new webhook begins; `null`: the newest one that is indexed
 */
export async function takeWebhook(db: Queryable, name: string, after: number | null): Promise<WebhookProgress> {
  const { rows } = await sql<StoredProgress>`
    insert into webhook_position (name, block_number, log_index, reorgs, version, is_paused, failures)
    values (${name}, coalesce(${after}::bigint, (select cursor_number from chain_state), 0), ${LAST_LOG_INDEX}, ${NEWEST_REORG}, 1, false, 0)
    on conflict (name) do update set version = webhook_position.version + 1 returning ${PROGRESS}`.execute(db)
  const [row] = rows
  if (row === undefined) throw new TypeError('the statement returns a row')
  return toProgress(row)
}

/** A webhook at the version that its owner has taken. */
type Owned = Pick<WebhookProgress, 'name' | 'version'>

/**
 * Stores that the receiver has taken everything up to a position.
 *
 * @returns whether the caller is still the owner: otherwise nothing is written
 */
export async function moveWebhook(db: Queryable, { name, version }: Owned, { place, reorgs }: ChannelPosition): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update webhook_position set block_number = ${place.blockNumber}, log_index = ${place.logIndex}, reorgs = ${reorgs},
      failures = 0, failing_since_ms = null, next_attempt_at_ms = null, last_error = null
    where name = ${name} and version = ${version}`.execute(db)
  return numAffectedRows > 0n
}

export interface FailedAttempt {
  readonly cause: string
  /** How long the attempt took. */
  readonly tookMs: number
  readonly retryInMs: number
  /** The webhook is paused when its failed attempts and the pauses between them took this long. */
  readonly patienceMs: number
}

/**
 * Stores that the receiver did not take the next message. Time in which nobody tried (the process was off or suspended, the database away)
 * moves `failing_since_ms`, so that the receiver is not blamed for it.
 *
 * @returns whether the webhook is paused now; `null`: the caller is no longer the owner, and nothing is written
 */
export async function failWebhook(db: Queryable, { name, version }: Owned, failed: FailedAttempt): Promise<boolean | null> {
  const { cause, tookMs, retryInMs, patienceMs } = failed
  const beganAt = sql`${NOW} - ${Math.round(tookMs)}::bigint`
  const since = sql`coalesce(failing_since_ms + greatest(0, ${beganAt} - next_attempt_at_ms), ${beganAt})`
  const { rows } = await sql<{ isPaused: boolean }>`
    update webhook_position set failures = failures + 1, failing_since_ms = ${since},
      next_attempt_at_ms = ${NOW} + ${Math.round(retryInMs)}::bigint, last_error = ${cause},
      is_paused = ${NOW} - ${since} >= ${patienceMs}::bigint
    where name = ${name} and version = ${version} returning is_paused as "isPaused"`.execute(db)
  return rows[0]?.isPaused ?? null
}

/**
 * Has a webhook send again from a place, or from where it stopped. A running service does so within a few seconds. It still tells of the
 * reorgs that the receiver has not heard of.
 *
 * @param after a place that is indexed: one that is not would be taken for a place of another database
 * @returns whether there is such a webhook
 */
export async function replayWebhook(db: Queryable, name: string, after: EventPlace | null): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update webhook_position set block_number = coalesce(${after?.blockNumber ?? null}::bigint, block_number),
      log_index = coalesce(${after?.logIndex ?? null}::bigint, log_index), version = version + 1, is_paused = false, failures = 0,
      failing_since_ms = null, next_attempt_at_ms = null, last_error = null
    where name = ${name}`.execute(db)
  return numAffectedRows > 0n
}

/** The newest block up to which a webhook can be sent; 0: nothing is indexed. */
export async function readIndexedBlock(db: Queryable): Promise<number> {
  const { rows } = await sql<{ newest: number }>`select coalesce(max(cursor_number), 0)::bigint as newest from chain_state`.execute(db)
  return rows[0]?.newest ?? 0
}

/** Copies the positions to the index that takes the served one's place. */
export async function copyWebhooks(db: Queryable, { from, to }: { readonly from: string; readonly to: string }): Promise<void> {
  if (!(await hasTable(db, from, 'webhook_position'))) return
  await sql`delete from ${sql.id(to, 'webhook_position')}`.execute(db)
  await sql`insert into ${sql.id(to, 'webhook_position')} select * from ${sql.id(from, 'webhook_position')}`.execute(db)
}

/** Deletes the positions of webhooks that are no longer configured. */
export async function forgetWebhooks(db: Queryable, configured: readonly string[]): Promise<void> {
  await sql`delete from webhook_position where name <> all(${[...configured]}::text[])`.execute(db)
}
