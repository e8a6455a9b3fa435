import { loadDatabaseConfig } from '#configuration/loadConfig.ts'
import { connectionOptions } from '#store/connection/orm.ts'
import { findEmbeddedUrl } from '#store/embedded/startEmbedded.ts'
import { MIGRATION_OPTIONS } from '#store/migrations/migrations.ts'
import { ENTITIES } from '#tables/entities.ts'

/** For MikroORM's command line: `MIKRO_ORM_CLI_CONFIG=./mikro-orm.config.ts npx mikro-orm migration:list`. */
export default async function cliConfig() {
  const { databaseUrl, dataDir } = loadDatabaseConfig(process.env, { cwd: process.cwd() })
  const url = databaseUrl ?? (await findEmbeddedUrl(dataDir))
  if (url === null) throw new Error('Set DATABASE_URL, or start Tokenwire so that its embedded database runs')
  return { ...connectionOptions(url), ...MIGRATION_OPTIONS, entities: ENTITIES }
}
