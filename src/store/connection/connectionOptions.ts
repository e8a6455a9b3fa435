import { defineConfig } from '@mikro-orm/postgresql'
import { TokenwireError } from '#errors'
import { PLANNER_SETTINGS } from './plannerSettings.ts'

/**
 * The options of every ORM over a database. Without entities: the service's four ORMs run statements of their own (`tableOf`), and
 * discovering the entities would take 16 to 40 ms of CPU per ORM in place of 1 to 7.
 *
 * @throws `TokenwireError` with code `config_invalid` when the text is no PostgreSQL URL; the message does not repeat it
 */
export function connectionOptions(databaseUrl: string) {
  const connectionString = toConnectionString(databaseUrl)
  return defineConfig({
    clientUrl: databaseUrl,
    // The driver reads the URL's parameters (sslmode, a socket's folder); the ORM would ignore them.
    driverOptions: { connectionString },
    entities: [],
    discovery: { warnWhenNoEntities: false },
  })
}

/**
 * Checks the URL, because Node's error message would contain it with its password; has `sslmode` mean what it means to psql; and adds the
 * planner's settings, which the URL's own `options` override.
 */
function toConnectionString(databaseUrl: string): string {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : null
  if (url === null || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') || url.pathname.length < 2) {
    throw new TokenwireError('config_invalid', 'DATABASE_URL must look like postgres://user:password@host:5432/database')
  }
  if (url.searchParams.has('sslmode') && !url.searchParams.has('uselibpqcompat')) url.searchParams.set('uselibpqcompat', 'true')
  const settings = Object.entries(PLANNER_SETTINGS).map(([name, value]) => `-c ${name}=${value}`)
  url.searchParams.set('options', [...settings, url.searchParams.get('options') ?? ''].join(' ').trimEnd())
  return url.href
}
