import { Migration } from '@mikro-orm/migrations'

/** What lies uncollected in locked positions, as simulated calls tell it: no event does. */
export class Migration0006Uncollected extends Migration {
  override up(): void {
    this.addSql(`alter table pool add column position_id numeric`)
    // When something last moved the pool, and so what its positions earn; null: before this was noted.
    this.addSql(`alter table pool add column last_changed_block bigint`)
    this.addSql(
      `update pool set position_id = fee.claim_id from creator_fee as fee where fee.token = pool.token and fee.claim_id is not null`,
    )

    // Not a part of what the events say: a fresh index asks anew. No amounts: the providers refused to tell.
    this.addSql(`create table uncollected_fee (
      token bytea primary key,
      token_amount numeric,
      quote_amount numeric,
      block_number bigint not null
    )`)
  }
}
