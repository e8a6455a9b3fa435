import { Migration } from '@mikro-orm/migrations'

/** What else an index was built from, and which of its launchpads an operator wants built anew. */
export class Migration0003Launchpads extends Migration {
  override up(): void {
    this.addSql(`alter table chain_state add column peg_usd jsonb, add column rebuild jsonb not null default '[]'`)
  }
}
