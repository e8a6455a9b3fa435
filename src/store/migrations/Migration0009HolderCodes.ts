import { Migration } from '@mikro-orm/migrations'

/** Which holders are contracts, as the chain answered: no event shows it. */
export class Migration0009HolderCodes extends Migration {
  override up(): void {
    // Not from events: a fresh index asks again.
    this.addSql(`create table holder_code (
      holder bytea primary key,
      contract boolean not null
    )`)
  }
}
