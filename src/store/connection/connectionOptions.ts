import { defineConfig } from '@mikro-orm/postgresql'
import { TokenwireError } from '#errors'
import { PLANNER_SETTINGS } from './plannerSettings.ts'

/**
 * What every ORM over a database has in common: its address. Without entities: a service has four ORMs, which run statements, and making one takes
 * 16 to 40 ms of processor time with entities and 1 to 7 without.
 *
 * @throws `TokenwireError` with code `config_invalid` when the text is no PostgreSQL URL; the message does not repeat it
 */
export function connectionOptions(databaseUrl: string) {
  const connectionString = toConnectionString(databaseUrl)
  return defineConfig({
    clientUrl: databaseUrl,
    // The ORM reads no parameters of the URL (sslmode, a socket's folder): the driver does.
    driverOptions: { connectionString },
    entities: [],
    discovery: { warnWhenNoEntities: false },
  })
}

/**
 * Checks the address here, because Node's own error would quote it with its password, lets `sslmode` mean what it means to psql, and brings the
 * planner's settings, over which the address's own `options` go.
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
