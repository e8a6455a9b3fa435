import { Migration } from '@mikro-orm/migrations'

/** What metadata URIs lead to, and the work of finding out. Not chain state: no reorg touches it. */
export class Migration0004Metadata extends Migration {
  override up(): void {
    // One row per URI, by its SHA-256. pending: to be read at next_attempt_at_ms, or when it is null not by itself; read: tokens still wait
    // to show it; announced: all do; refused: given up.
    this.addSql(`create table metadata (
      key bytea primary key,
      uri text not null,
      lane text not null generated always as (
        case when uri ~* '^\\s*https?:' then 'web' when uri ~* '^\\s*(data:|[{])' then 'local' else 'gateway' end
      ) stored,
      state text not null check (state in ('pending', 'read', 'announced', 'refused')),
      attempts integer not null,
      next_attempt_at_ms bigint,
      attempted_at_ms bigint,
      outcome text,
      image_url text,
      description text,
      links jsonb
    )`)
    // What is due, the newest first among those that were tried equally often.
    this.addSql(`create index metadata_due on metadata (lane, attempts, next_attempt_at_ms) where next_attempt_at_ms is not null`)
    this.addSql(`create index metadata_unannounced on metadata (key) where state = 'read'`)

    // Tokens that do not show their URI's document, because it is not read yet.
    this.addSql(`create table metadata_waiting (
      key bytea not null,
      token bytea not null,
      primary key (key, token)
    )`)

    this.addSql(`insert into metadata_waiting (key, token)
      select sha256(convert_to(metadata_uri, 'UTF8')), address from token where metadata_uri is not null`)
    this.addSql(`insert into metadata (key, uri, state, attempts, next_attempt_at_ms)
      select distinct on (metadata_waiting.key) metadata_waiting.key, token.metadata_uri, 'pending', 0, 0
      from metadata_waiting join token on token.address = metadata_waiting.token order by metadata_waiting.key`)
  }
}
