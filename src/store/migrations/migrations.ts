import { Migrator } from '@mikro-orm/migrations'
import { Migration0001Initial } from './Migration0001Initial.ts'

/** Every migration in the order in which they run. Published ones are never edited: a change is a new one at the end. */
export const MIGRATIONS = [Migration0001Initial]

export const MIGRATION_OPTIONS = {
  extensions: [Migrator],
  migrations: {
    migrationsList: MIGRATIONS,
    pathTs: 'src/store/migrations',
    path: 'src/store/migrations',
    snapshot: false,
    silent: true,
  },
}
