import { Migration } from '@mikro-orm/migrations'
import { MIGRATIONS } from '#store/migrations/migrations.ts'

/* Preloaded by a service, this makes it a version with one more migration, which ends when the test lets go of a lock. */

class Migration9999Next extends Migration {
  static readonly keepsImages = true

  override up(): void {
    this.addSql('create index trade_next on trade (maker, "timestamp")')
    this.addSql('select pg_advisory_xact_lock(4711)')
    this.addSql('alter table token add column next text')
  }
}

MIGRATIONS.push(Migration9999Next)
