import { Migration } from '@mikro-orm/migrations'

/** Which holders are contracts, as the chain was asked: no event tells. */
export class Migration0009HolderCodes extends Migration {
  override up(): void {
    // Not a part of what the events say: a fresh index asks anew.
    this.addSql(`create table holder_code (
      holder bytea primary key,
      contract boolean not null
    )`)
  }
}
