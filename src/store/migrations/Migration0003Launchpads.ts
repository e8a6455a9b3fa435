import { Migration } from '@mikro-orm/migrations'

/** Adds the pegs that an index was built from, and the launchpads that an operator wants rebuilt. */
export class Migration0003Launchpads extends Migration {
  override up(): void {
    this.addSql(`alter table chain_state add column peg_usd jsonb, add column rebuild jsonb not null default '[]'`)
  }
}
