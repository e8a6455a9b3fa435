import { Migrator } from '@mikro-orm/migrations'
import { MIGRATIONS } from './migrations.ts'

/** What an ORM needs beside a connection to migrate. */
export const MIGRATION_OPTIONS = {
  extensions: [Migrator],
  migrations: {
    migrationsList: MIGRATIONS,
    pathTs: 'src/database/migrations',
    path: 'src/database/migrations',
    snapshot: false,
    silent: true,
  },
}
