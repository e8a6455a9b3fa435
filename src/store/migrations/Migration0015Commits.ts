import { Migration } from '@mikro-orm/migrations'

/** The number of commits: by it a gateway sees which commits its database shows, and that it missed one. */
export class Migration0015Commits extends Migration {
  override up(): void {
    this.addSql(`alter table chain_state add column commits bigint not null default 0`)
  }
}
