import { Migrator } from '@mikro-orm/migrations'
import { MIGRATIONS } from './migrations.ts'

/** The options of an ORM that migrates. */
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
