import { Migration } from '@mikro-orm/migrations'

/** Hooks, extensions and lockers that launches name. A database that was built before has none until later launches name them again. */
export class Migration0040AnnouncedContracts extends Migration {
  override up(): void {
    this.addSql(`create table announced_contract (
      address bytea primary key,
      launchpad text not null,
      role text not null,
      created_block bigint not null,
      constraint announced_contract_role_check check (role in ('contract', 'module'))
    )`)
  }
}
