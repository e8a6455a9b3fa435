import { migrate } from '#store/migrations/migrate.ts'
import { databaseCommand, databaseConfig } from './databaseCommand.ts'

/* npm run db:migrate: migrates the configured database to this version, as the service does at its start, or makes one. */

await databaseCommand(
  databaseConfig,
  async ({ url, logger }) => {
    const applied = await migrate(url, logger)
    return applied.length === 0 ? 'The database schema is up to date.' : `Migrated: ${applied.join(', ')}`
  },
  { creates: true },
)
