import { Migration } from '@mikro-orm/migrations'

/** Adds the time from which on candles of a minute are not yet part of longer ones. */
export class Migration0017UnfoldedFrom extends Migration {
  override up(): void {
    this.addSql(`alter table chain_state add column unfolded_from bigint`)
  }
}
