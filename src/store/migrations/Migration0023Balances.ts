import { Migration } from '@mikro-orm/migrations'

/** Indexes that hold what supplies, far pages of holders and the value of a wallet are read from. */
export class Migration0023Balances extends Migration {
  override up(): void {
    this.addSql(`drop index balance_by_size`)
    this.addSql(`create index balance_by_size on balance (token, (- balance), holder) include (balance) where balance > 0`)
    this.addSql(`drop index balance_by_holder`)
    this.addSql(`create index balance_by_holder on balance (holder, last_changed_block, token) include (balance) where balance > 0`)
    this.addSql(`create index balance_out_of_circulation on balance (token) where type in ('burn', 'locker')`)
  }
}
