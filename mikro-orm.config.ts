import { loadDatabaseConfig } from '#configuration/loadConfig.ts'
import { withSchema } from '#domain/databaseUrl.ts'
import { connectionOptions } from '#store/connection/orm.ts'
import { findEmbeddedUrl } from '#store/embedded/startEmbedded.ts'
import { MIGRATION_OPTIONS } from '#store/migrations/migrations.ts'
import { ENTITIES } from '#tables/entities.ts'

/** For MikroORM's command line: `MIKRO_ORM_CLI_CONFIG=./mikro-orm.config.ts npx mikro-orm migration:list`. */
export default async function cliConfig() {
  const { databaseUrl, schema, dataDir } = loadDatabaseConfig(process.env, { cwd: process.cwd() })
  const embeddedUrl = databaseUrl === null ? await findEmbeddedUrl(dataDir) : null
  const url = databaseUrl ?? (embeddedUrl && withSchema(embeddedUrl, schema))
  if (url === null) throw new Error('Set DATABASE_URL, or start Tokenwire so that its embedded database runs')
  return { ...connectionOptions(url), ...MIGRATION_OPTIONS, entities: ENTITIES }
}
