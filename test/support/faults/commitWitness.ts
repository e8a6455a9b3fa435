import { sql } from 'kysely'
import type { Hex } from '#domain/address.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toHex } from '#store/rows/bytes.ts'

/** What one process told of what it committed. */
export interface Tellings {
  /** The name under which it claimed the database. */
  readonly writer: string
  /** Ended without warning: what it committed last may be told by nobody. */
  killed: boolean
  /** Where the index stood when it began; `null`: nowhere, or not known yet. */
  began(): Hex | null
  /** Where the index stood after each commit that it told of, in order. */
  readonly told: readonly Hex[]
}

/** Has the database itself write down where each transaction left the index, and who committed it. */
export async function installCommitWitness(db: Queryable): Promise<void> {
  await sql`create table moved (id bigserial primary key, writer text, hash bytea)`.execute(db)
  await sql`create function witness_move() returns trigger language plpgsql as $$
    declare now_at record;
    begin
      -- A swap moves the cursor several times: what counts is where it stands at the end of the transaction.
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
 * What was committed and not told, or told in another order, by any process; empty: nothing. Of one that was killed, its last commit may be
 * missing: those who watch ask the next process where things stand.
 */
export async function tellingFaults(db: Queryable, lives: readonly Tellings[]): Promise<readonly string[]> {
  const { rows } = await sql<{ writer: string; hash: Buffer }>`select writer, hash from moved order by id`.execute(db)
  return lives.flatMap(({ writer, killed, began, told }) => {
    const committed = rows.filter(row => row.writer === writer).map(({ hash }) => toHex(hash))
    // What a swap finds in place already is told again, which harms nobody.
    const news = told.filter((hash, index) => hash !== (told[index - 1] ?? began()))
    const owed = killed && news.length === committed.length - 1 ? committed.slice(0, -1) : committed
    return owed.join() === news.join() ? [] : [`${writer} committed ${committed.join(' ')} and told ${told.join(' ')}`]
  })
}
