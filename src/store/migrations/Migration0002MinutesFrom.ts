import { Migration } from '@mikro-orm/migrations'

/** Adds the time from which on candles of a minute are kept. */
export class Migration0002MinutesFrom extends Migration {
  override up(): void {
    this.addSql(`alter table chain_state add column minutes_from bigint`)
  }
}
