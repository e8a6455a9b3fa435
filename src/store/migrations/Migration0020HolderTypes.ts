import { Migration } from '@mikro-orm/migrations'

/** Adds the types of holders to indexes, so that a page without some types reads only the rows it shows, and a supply reads none. */
export class Migration0020HolderTypes extends Migration {
  static readonly keepsImages = true

  override up(): void {
    this.addSql(`drop index balance_by_size, balance_out_of_circulation`)
    this.addSql(`create index balance_by_size on balance (token, (- balance), holder) include (balance, type) where balance > 0`)
    this.addSql(`create index balance_out_of_circulation on balance (token) include (balance, type) where type in ('burn', 'locker')`)
  }
}
