import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { MAX_ATTEMPTS, type MetadataLane, type MetadataRecord, type MetadataWork, type WaitingToken } from '#domain/metadata.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { toBytes } from '#tables/columns.ts'
import { stampToken } from './cursor.ts'
import type { Statements } from './insertRows.ts'

/*
 * Documents behind metadata URIs are no chain state: they are kept per URI, and reorgs leave them alone. A token gets a copy (`image_url`,
 * `description`, `links`) of the document behind its present URI once that is read, and a new sequence with it. An image that the token's
 * contract names is a document of its own, and takes precedence. Tokens without a copy are in `metadata_waiting`, which is changed under
 * the lock of the cursor, so that no token misses a document that arrives meanwhile.
 */

const keyOf = (uri: RawBuilder<unknown>) => sql`sha256(convert_to(${uri}, 'UTF8'))`
const OWN_IMAGE = sql`case when token.image_uri is not null then json_build_object('image', token.image_uri)::text end`
/** SQL that gives the URIs of the documents of `token` as `named.uri`. */
const DOCUMENTS = sql`cross join lateral (values (token.metadata_uri), (${OWN_IMAGE})) as named (uri)`
const KEY = keyOf(sql`named.uri`)
const isRead = (document: string) => sql`${sql.ref(`${document}.state`)} in ('read', 'announced')`
/** SQL for the time of the database's clock, which all times here are of. */
const NOW_MS = sql`floor(extract(epoch from now()) * 1000)::bigint`

/** Gives tokens a copy of their document, or has them wait for it, in the transaction that launched them or changed their URI. */
export function* attachMetadata(tokens: readonly Address[]): Statements {
  if (tokens.length === 0) return
  const isAsked = sql`token.address = any(${tokens.map(toBytes)}::bytea[])`
  yield sql`
    insert into metadata (key, uri, state, attempts, next_attempt_at_ms)
    select distinct on (${KEY}) ${KEY}, named.uri, 'pending', 0, ${NOW_MS} from token ${DOCUMENTS}
    where ${isAsked} and named.uri is not null order by ${KEY} on conflict (key) do nothing`
  // The update below shows a document that is read meanwhile. In the other order, the token would neither wait for it nor have it.
  yield sql`
    insert into metadata_waiting (key, token)
    select metadata.key, token.address from token ${DOCUMENTS} join metadata on metadata.key = ${KEY}
    where ${isAsked} and not ${isRead('metadata')} on conflict (key, token) do nothing`
  yield showDocuments(tokens.map(toBytes), sql``)
}

/** Gives tokens their copies of the documents that are read. @param stamp SQL of further columns to set on a row that changes */
function showDocuments(tokens: readonly Buffer[], stamp: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    update token set image_url = shown.image_url, description = shown.description, links = shown.links ${stamp}
    from (
      select token.address, coalesce(own.image_url, document.image_url) as image_url, document.description, document.links::text from token
      left join metadata as document on document.key = ${keyOf(sql`token.metadata_uri`)} and ${isRead('document')}
      left join metadata as own on own.key = ${keyOf(OWN_IMAGE)} and ${isRead('own')}
      where token.address = any(${[...tokens]}::bytea[])
    ) as shown
    where token.address = shown.address
      and (token.image_url, token.description, token.links) is distinct from (shown.image_url, shown.description, shown.links)`
}

/** The URIs that are due, per lane: those with the fewest attempts first, then the newest. Those in `underWay` are left out. */
export async function readDueMetadata(
  db: Queryable,
  wanted: readonly { readonly lane: MetadataLane; readonly limit: number }[],
  underWay: readonly MetadataWork['key'][],
): Promise<readonly MetadataWork[]> {
  const { rows } = await sql<MetadataWork>`
    select due.* from unnest(${wanted.map(({ lane }) => lane)}::text[], ${wanted.map(({ limit }) => limit)}::integer[]) as wanted (lane, most)
    cross join lateral (
      select least.* from generate_series(0, ${sql.lit(MAX_ATTEMPTS)}) as level (attempts)
      cross join lateral (
        select key, uri, lane, attempts from metadata
        where lane = wanted.lane and attempts = level.attempts and next_attempt_at_ms <= ${NOW_MS} and key <> all(${underWay.map(toBytes)}::bytea[])
        order by next_attempt_at_ms desc limit wanted.most
      ) as least limit wanted.most
    ) as due`.execute(db)
  return rows
}

/** Stores the outcomes of attempts to read documents. Idempotent. */
export async function recordMetadata(db: Queryable, records: readonly MetadataRecord[]): Promise<void> {
  if (records.length === 0) return
  const rows = records.map(({ key, state, attempts, retryAfterMs, outcome, document }) => ({
    key: `\\x${key.slice(2)}`,
    state,
    attempts,
    retry_after_ms: retryAfterMs,
    outcome,
    image_url: document?.imageUrl ?? null,
    description: document?.description ?? null,
    links: document === null || document.links.length === 0 ? null : document.links,
  }))
  await sql`
    update metadata set state = done.state, attempts = done.attempts, next_attempt_at_ms = ${NOW_MS} + done.retry_after_ms, attempted_at_ms = ${NOW_MS},
      outcome = done.outcome, image_url = done.image_url, description = done.description, links = done.links
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as done (
      key bytea, state text, attempts integer, retry_after_ms bigint, outcome text, image_url text, description text, links jsonb)
    where metadata.key = done.key and metadata.state = 'pending'`.execute(db)
}

/** Makes URIs with one of these outcomes due again, after the setting that caused them has changed. */
export async function resumeMetadata(db: Queryable, outcomes: readonly string[]): Promise<void> {
  if (outcomes.length === 0) return
  await sql`update metadata set next_attempt_at_ms = ${NOW_MS}
    where state = 'pending' and next_attempt_at_ms is null and outcome = any(${outcomes}::text[])`.execute(db)
}

/** The documents that were read but are not yet copied to all of their tokens, with those tokens. */
export async function readUnannounced(db: Queryable, limit: number): Promise<readonly WaitingToken[]> {
  const { rows } = await sql<WaitingToken>`
    select metadata.key, metadata_waiting.token from metadata left join metadata_waiting using (key)
    where metadata.state = 'read' limit ${limit}`.execute(db)
  return rows
}

/** Copies documents to tokens, with a new sequence where that changes the row, under the lock of the cursor. Idempotent. */
export async function announceMetadata(db: Queryable, waiting: readonly WaitingToken[], committedAtMs: number): Promise<void> {
  const keys = [...new Set(waiting.map(({ key }) => key))].map(toBytes)
  const tokens = waiting.flatMap(({ token }) => (token === null ? [] : [toBytes(token)]))
  // Tokens get the documents of their present URIs: after a reorg, a token may have been launched again with another URI.
  await showDocuments(tokens, sql`, ${stampToken(committedAtMs)}`).execute(db)
  await sql`delete from metadata_waiting where key = any(${keys}::bytea[]) and token = any(${tokens}::bytea[])`.execute(db)
  await sql`update metadata set state = 'announced' where state = 'read' and key = any(${keys}::bytea[])
    and not exists (select from metadata_waiting where metadata_waiting.key = metadata.key)`.execute(db)
}

/** The number of URIs that are to be read, now or later, counted up to `most`. */
export async function countQueuedMetadata(db: Queryable, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (select from metadata where next_attempt_at_ms is not null limit ${most}) as queued`.execute(db)
  return rows[0]?.count ?? 0
}

/** Writes the names by which search finds tokens, in the transaction that launched, renamed or deleted them. */
export function* writeTokenNames(tokens: readonly Address[]): Statements {
  if (tokens.length === 0) return
  const keys = sql`${tokens.map(toBytes)}::bytea[]`
  yield sql`delete from token_name where token = any(${keys})`
  yield sql`insert into token_name (token, name) select address, name from token where address = any(${keys}) and name is not null`
}
