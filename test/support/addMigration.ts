import { Migration } from '@mikro-orm/migrations'
import { MIGRATIONS } from '#store/migrations/migrations.ts'

/** Makes this process one of a later version, with one more migration. @returns a function that takes it away */
export function addMigration(statements: readonly string[], keepsImages = false): () => void {
  class Migration9999Next extends Migration {
    static readonly keepsImages = keepsImages
    override up(): void {
      for (const statement of statements) this.addSql(statement)
    }
  }
  MIGRATIONS.push(Migration9999Next)
  return () => void MIGRATIONS.splice(MIGRATIONS.indexOf(Migration9999Next), 1)
}
