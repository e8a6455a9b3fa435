import { chown, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { holdSessionLock, LOCKS } from '#store/connection/sessionLock.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { certificate, certificateKey, foreignCertificate, foreignKey } from '#test/support/certificate.ts'
import { openOrm, silentLogger } from '#test/support/database.ts'
import { startEndpointProxy } from '#test/support/endpointProxy.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { freePort } from '#test/support/freePort.ts'
import { startPgBouncer } from '#test/support/pgBouncer.ts'
import { openPostgresServers, type PostgresServer, type PostgresServers, urlAt } from '#test/support/postgresServers.ts'

/*
 * Databases as RDS, Cloud SQL, Supabase and Neon set them up, on a server that lets strangers in with TLS and a SCRAM password only. The
 * address is the one that each service shows.
 */

const ENDPOINT = 'ep-cool-darkness-123456'
const PGBOUNCER = findProgram({ names: ['pgbouncer'], aptPackage: 'pgbouncer' })
const stops: (() => Promise<void> | void)[] = []
let servers: PostgresServers
let server: PostgresServer
let port: number
const fileOf = (name: string) => path.join(servers.folder, name)

beforeAll(startServer)
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
  await server.kill()
  await servers.remove()
})

test.for(managedServices().filter(({ skip }) => skip !== true))(
  'a database of $service is used by the address that it shows',
  async managed => {
    for (const statement of managed.roles) await sql.raw(statement).execute(server.db)
    const inside = openOrm(urlAt(port, managed.database)).em.getKysely<unknown>()
    for (const statement of managed.inside) await sql.raw(statement).execute(inside)
    const url = await managed.url()
    for (const [change, says] of managed.refused) {
      const changed = new URL(url)
      change(changed)
      const refusal = await migrate(changed.href, silentLogger).catch((error: unknown) => error)
      expect(String(refusal)).toMatch(says)
      expect(String(refusal)).not.toMatch(/secret|a:b/)
    }
    expect(await migrate(url, silentLogger)).not.toEqual([])
    expect(await migrate(url, silentLogger)).toEqual([])
    const db = openOrm(url).em.getKysely<unknown>()
    await requireDatabase(db, { url, use: 'serve', logger: silentLogger })
    const { lock } = await holdSessionLock({ url, key: LOCKS.writer, applicationName: 'test-lock', what: 'the lock', logger: silentLogger })
    await lock?.release()
    const answer = sql<{ isEncrypted: boolean; alike: number }>`
    select (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as "isEncrypted", similarity('pepe', 'pepe') as alike`
    expect((await answer.execute(db)).rows).toEqual([{ isEncrypted: true, alike: 1 }])
  },
)

// The parameter was left out without a word.
test('channel_binding=require is refused where a log-in can not be bound', async () => {
  await sql.raw("create role bound login password 'secret'").execute(server.db)
  const at = (parameters: string) =>
    sql`select 1`.execute(openOrm(`postgres://bound:secret@localhost:${port}/postgres?${parameters}`).em.getKysely())
  await expect(at('sslmode=require&channel_binding=require')).resolves.toBeDefined()
  const trusted = openOrm(`postgres://tokenwire@localhost:${port}/postgres?sslmode=require&channel_binding=require`).em.getKysely()
  await expect(sql`select 1`.execute(trusted)).rejects.toThrow(/channel_binding=require, and the server offers none/)
})

interface Managed {
  readonly service: string
  readonly database: string
  /** Run by a superuser, the second list in the database. */
  readonly roles: readonly string[]
  readonly inside: readonly string[]
  readonly url: () => Promise<string> | string
  /** The same address without what the service demands, and what is said of it. */
  readonly refused: readonly (readonly [change: (url: URL) => void, says: RegExp])[]
  readonly skip?: boolean
}

async function startServer(): Promise<void> {
  servers = await openPostgresServers()
  port = await freePort()
  const data = await servers.initialise('data')
  const { uid, gid } = await stat(data)
  const files = { 'server.crt': certificate, 'server.key': certificateKey, 'client.crt': foreignCertificate, 'client.key': foreignKey }
  const rules = [
    'hostnossl all tokenwire 127.0.0.1/32 trust',
    'hostssl cloudsql all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca',
    'hostssl all tokenwire 127.0.0.1/32 trust',
    'hostssl all all 127.0.0.1/32 scram-sha-256',
  ]
  for (const [name, text] of Object.entries({ ...files, 'data/pg_hba.conf': rules.join('\n') })) {
    await writeFile(fileOf(name), `${text}\n`, { mode: 0o600 })
    await chown(fileOf(name), uid, gid)
  }
  const tls = ['ssl=on', `ssl_cert_file=${fileOf('server.crt')}`, `ssl_key_file=${fileOf('server.key')}`]
  server = await servers.start(data, port, [...tls, `ssl_ca_file=${fileOf('client.crt')}`])
}

function managedServices(): readonly Managed[] {
  const plain: Managed['refused'][number] = [
    url => {
      url.searchParams.set('sslmode', 'disable')
    },
    /it takes no connection without encryption from here: add sslmode=require to DATABASE_URL/,
  ]
  return [
    {
      service: 'RDS',
      database: 'rds',
      roles: ["create role rds login createdb createrole password 'a:b/c'", 'create database rds owner rds'],
      inside: [],
      url: () => `postgres://rds:a%3Ab%2Fc@localhost:${port}/rds?sslmode=verify-full&sslrootcert=${fileOf('server.crt')}`,
      refused: [plain, [url => url.searchParams.set('sslrootcert', fileOf('client.crt')), /no encrypted connection .*sslrootcert/]],
    },
    {
      service: 'Cloud SQL',
      database: 'cloudsql',
      roles: [
        'create role cloudsqlsuperuser nologin createdb createrole',
        "create role app login password 'secret' in role cloudsqlsuperuser",
        'create database cloudsql owner cloudsqlsuperuser',
      ],
      inside: [],
      url: () =>
        `postgres://app:secret@127.0.0.1:${port}/cloudsql?sslmode=verify-ca&sslrootcert=${fileOf('server.crt')}&sslcert=${fileOf('client.crt')}&sslkey=${fileOf('client.key')}`,
      refused: [plain, [url => url.searchParams.set('sslmode', 'verify-full'), /verify-full needs the name of the host/]],
    },
    {
      service: 'Supabase, through its pooler in session mode',
      database: 'supabase',
      roles: [`create role "postgres.abcdef" login password 'secret'`, 'create database supabase owner "postgres.abcdef"'],
      inside: [
        'create schema extensions',
        'create extension pg_trgm schema extensions',
        'grant usage on schema extensions to public',
        'alter role "postgres.abcdef" set search_path = "$user", public, extensions',
      ],
      url: async () => {
        const through = `postgres://postgres.abcdef:secret@127.0.0.1:${port}/supabase`
        const bouncer = await startPgBouncer(PGBOUNCER ?? '', through, ['server_tls_sslmode = require'])
        stops.push(bouncer.stop)
        return bouncer.url.replace('anybody:anything', 'postgres.abcdef:secret')
      },
      refused: [],
      skip: PGBOUNCER === null,
    },
    {
      service: 'Neon',
      database: 'neondb',
      roles: ["create role neondb_owner login createdb createrole password 'npg_secret'", 'create database neondb owner neondb_owner'],
      inside: [],
      url: async () => {
        const proxy = await startEndpointProxy(port, ENDPOINT)
        stops.push(proxy.stop)
        const parameters = `sslmode=require&channel_binding=require&options=endpoint%3D${ENDPOINT}`
        return `postgresql://neondb_owner:npg_secret@localhost:${proxy.port}/neondb?${parameters}`
      },
      refused: [[url => url.searchParams.set('sslmode', 'disable'), /./]],
    },
  ]
}
