import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import type { TokenWatcher } from '#test/support/tokenWatcher.ts'

/**
 * Lets the database record every committed sequence, and every one that does not rise, at the end of each transaction and inside it, so
 * that a rollback removes the record, too.
 */
export async function installSequenceWitness(db: Queryable): Promise<void> {
  await sql`create table witness (token bytea, sequence bigint, transaction xid8, primary key (token, sequence))`.execute(db)
  await sql`create table fallen (token bytea, sequence bigint)`.execute(db)
  await sql`create function witness_sequence() returns trigger language plpgsql as $$
    declare now_at bigint;
    begin
      -- A token that is changed twice in a transaction is seen as it is at its end; one that was dropped again is not seen.
      select sequence into now_at from token where address = new.address;
      if now_at is null then return null; end if;
      if exists (select from witness where token = new.address and sequence >= now_at
        and not (sequence = now_at and transaction = pg_current_xact_id())) then
        insert into fallen values (new.address, now_at);
      end if;
      insert into witness values (new.address, now_at, pg_current_xact_id()) on conflict do nothing;
      return null;
    end $$`.execute(db)
  await sql`create constraint trigger witness after insert or update on token deferrable initially deferred
    for each row execute function witness_sequence()`.execute(db)
}

export async function clearWitness(db: Queryable): Promise<void> {
  await sql`with witnessed as (delete from witness), fell as (delete from fallen) select 1`.execute(db)
}

/** Faults of sequences; empty if there are none. */
export async function sequenceFaults(
  db: Queryable,
  { told, violations }: Pick<TokenWatcher, 'told' | 'violations'>,
): Promise<readonly string[]> {
  const fallen = await sql<{ token: Address; sequence: number }>`select token, sequence from fallen`.execute(db)
  const tokens = told.map(({ token }) => Buffer.from(token.slice(2), 'hex'))
  const uncommitted = await sql<{ token: Address; sequence: number }>`
    select told.token, told.sequence from unnest(${tokens}::bytea[], ${told.map(({ sequence }) => sequence)}::bigint[]) as told (token, sequence)
    where not exists (select from witness where witness.token = told.token and witness.sequence = told.sequence)`.execute(db)
  return [
    ...violations,
    ...fallen.rows.map(({ token, sequence }) => `the sequence of ${token} does not rise at ${sequence}`),
    ...uncommitted.rows.map(({ token, sequence }) => `${sequence} of ${token} was told and never committed`),
  ]
}
