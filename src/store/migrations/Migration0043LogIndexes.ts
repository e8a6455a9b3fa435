import { Migration } from '@mikro-orm/migrations'

/** Indexes of logs and transactions past 32 bits, as public chains have them. Rewrites the trades and their indexes. */
export class Migration0043LogIndexes extends Migration {
  override up(): void {
    const placed = ['trade', 'join_exit', 'pool_creation']
    for (const table of placed) this.addSql(`alter table ${table} alter log_index type bigint, alter tx_index type bigint`)
    this.addSql(`alter table milestone alter log_index type bigint`)
  }
}
