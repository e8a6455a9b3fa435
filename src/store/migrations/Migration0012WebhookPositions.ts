import { Migration } from '@mikro-orm/migrations'

/** Adds the position up to which each webhook has been sent. */
export class Migration0012WebhookPositions extends Migration {
  override up(): void {
    this.addSql(
      `create table webhook_position (
        name text primary key,
        block_number bigint not null,
        log_index bigint not null,
        reorgs bigint not null,
        version bigint not null,
        is_paused boolean not null,
        failures integer not null,
        failing_since_ms bigint,
        next_attempt_at_ms bigint,
        last_error text
      )`,
    )
  }
}
