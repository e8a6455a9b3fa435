import { loadDatabaseConfig } from '#configuration/loadConfig.ts'
import { connectionOptions } from '#database/connectionOptions.ts'
import { findEmbeddedUrl } from '#database/embedded.ts'
import { ENTITIES } from '#database/entities/entities.ts'
import { MIGRATION_OPTIONS } from '#database/migrationOptions.ts'

/** For MikroORM's command line: `MIKRO_ORM_CLI_CONFIG=./mikro-orm.config.ts npx mikro-orm migration:list`. */
export default async function cliConfig() {
  const { databaseUrl, dataDir } = loadDatabaseConfig(process.env, { cwd: process.cwd() })
  const url = databaseUrl ?? (await findEmbeddedUrl(dataDir))
  if (url === null) throw new Error('Set DATABASE_URL, or start Tokenwire so that its embedded database runs')
  return { ...connectionOptions(url), ...MIGRATION_OPTIONS, entities: ENTITIES }
}
