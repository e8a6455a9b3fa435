import { addMigration } from './addMigration.ts'

/* Preloaded by a service, this makes it a version with one more migration, which ends when the test lets go of a lock. */

addMigration(
  ['create index trade_next on trade (maker, "timestamp")', 'select pg_advisory_xact_lock(4711)', 'alter table token add column next text'],
  true,
)
