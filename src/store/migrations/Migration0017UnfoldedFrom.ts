import { Migration } from '@mikro-orm/migrations'

/** From when on candles of a minute are not part of longer ones yet. */
export class Migration0017UnfoldedFrom extends Migration {
  override up(): void {
    this.addSql(`alter table chain_state add column unfolded_from bigint`)
  }
}
