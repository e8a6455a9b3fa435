import { Migration } from '@mikro-orm/migrations'

/** Uncollected fees of locked LP positions, read by simulated calls: no event has them. */
export class Migration0006Uncollected extends Migration {
  override up(): void {
    this.addSql(`alter table pool add column position_id numeric`)
    // The last block that moved the pool, and with it the fees of its positions; null: none since the column exists.
    this.addSql(`alter table pool add column last_changed_block bigint`)
    this.addSql(
      `update pool set position_id = fee.claim_id from creator_fee as fee where fee.token = pool.token and fee.claim_id is not null`,
    )

    // Not from events: a fresh index reads them again. Null amounts: the providers refused the call.
    this.addSql(`create table uncollected_fee (
      token bytea primary key,
      token_amount numeric,
      quote_amount numeric,
      block_number bigint not null
    )`)
  }
}
