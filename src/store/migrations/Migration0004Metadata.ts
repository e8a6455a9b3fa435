import { Migration } from '@mikro-orm/migrations'

/** The documents behind metadata URIs, and the work of reading them. Not chain state: a reorg leaves it alone. */
export class Migration0004Metadata extends Migration {
  override up(): void {
    // One row per URI, by its SHA-256. pending: to be read at next_attempt_at_ms, null: not until a setting changes; read: tokens still
    // wait for their copy; announced: all have it; refused: given up.
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
    // Due URIs; the newest first among those with equally many attempts.
    this.addSql(`create index metadata_due on metadata (lane, attempts, next_attempt_at_ms) where next_attempt_at_ms is not null`)
    this.addSql(`create index metadata_unannounced on metadata (key) where state = 'read'`)

    // Tokens without a copy of their URI's document.
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
