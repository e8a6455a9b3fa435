import { Migration } from '@mikro-orm/migrations'
import { ACCOUNT_TABLES } from './initial/accountTables.ts'
import { CHAIN_TABLES } from './initial/chainTables.ts'
import { MARKET_TABLES } from './initial/marketTables.ts'
import { TOKEN_TABLES } from './initial/tokenTables.ts'

/**
 * The whole schema. Addresses, hashes and pool ids are `bytea` (half the size of hex text in rows and indexes); raw amounts, prices and
 * USD values are `numeric`; times of the chain are Unix seconds of the block, times of a commit are milliseconds (`_ms`).
 */
export class Migration0001Initial extends Migration {
  override up(): void {
    this.addSql('create extension if not exists pg_trgm')
    for (const statement of [...CHAIN_TABLES, ...TOKEN_TABLES, ...MARKET_TABLES, ...ACCOUNT_TABLES]) this.addSql(statement)
  }
}
