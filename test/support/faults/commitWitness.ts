import { sql } from 'kysely'
import type { Hex } from '#domain/address.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'

/** The committed blocks that one process emitted. */
export interface Tellings {
  /** The name under which it claimed the database. */
  readonly writer: string
  /** It was killed: its last commit may never be emitted. */
  killed: boolean
  /** The cursor at its start; `null`: nothing indexed, or not known yet. */
  began(): Hex | null
  /** The cursors of the commits that it emitted, in order. */
  readonly told: readonly Hex[]
}

/** Lets the database record the cursor and the writer of each transaction. */
export async function installCommitWitness(db: Queryable): Promise<void> {
  await sql`create table moved (id bigserial primary key, writer text, hash bytea)`.execute(db)
  await sql`create function witness_move() returns trigger language plpgsql as $$
    declare now_at record;
    begin
      -- A replacement moves the cursor several times: what counts is where it stands at the end of the transaction.
      select writer, cursor_hash into now_at from chain_state;
      if now_at.cursor_hash is not null
        and now_at.cursor_hash is distinct from (select hash from moved order by id desc limit 1) then
        insert into moved (writer, hash) values (now_at.writer, now_at.cursor_hash);
      end if;
      return null;
    end $$`.execute(db)
  await sql`create constraint trigger witness after insert or update on chain_state deferrable initially deferred
    for each row execute function witness_move()`.execute(db)
}

export async function clearCommits(db: Queryable): Promise<void> {
  await sql`delete from moved`.execute(db)
}

/**
 * Commits that a process did not emit, or emitted in another order; empty if there are none. A killed process may have missed its last
 * commit: its clients ask the next process.
 */
export async function tellingFaults(db: Queryable, lives: readonly Tellings[]): Promise<readonly string[]> {
  const { rows } = await sql<{ writer: string; hash: Hex }>`select writer, hash from moved order by id`.execute(db)
  return lives.flatMap(({ writer, killed, began, told }) => {
    const committed = rows.filter(row => row.writer === writer).map(({ hash }) => hash)
    // A replacement that was committed already is emitted again, which is harmless.
    const news = told.filter((hash, index) => hash !== (told[index - 1] ?? began()))
    const owed = killed && news.length === committed.length - 1 ? committed.slice(0, -1) : committed
    return owed.join() === news.join() ? [] : [`${writer} committed ${committed.join(' ')} and told ${told.join(' ')}`]
  })
}
