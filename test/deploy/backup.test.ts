import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Kysely, sql } from 'kysely'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { SdkClient } from '#test/endToEnd/sdkClient.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { openOrm, useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { freePort } from '#test/support/freePort.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { launchToken, type TradedToken } from '#test/support/launchToken.ts'
import { findSystemPostgres, openPostgresServers, type PostgresServer, type PostgresServers, urlAt } from '#test/support/postgresServers.ts'
import { type Service, type ServiceFolder, serviceFolder } from '#test/support/service.ts'

/* The commands of docs/operation.md, run as they stand there. */

const operation = await readFile('docs/operation.md', 'utf8')
const [, backups = ''] = operation.split('## Back-up and restore')
const commands = Array.from(backups.matchAll(/^```sh\n(.*?)^```$/gms), ([, text = '']) => text)
const commandOf = (program: string) => commands.find(text => text.includes(program)) ?? expect.unreachable(program)

const system = findSystemPostgres()

describe.runIf(system !== null)('a database', () => {
  let servers: PostgresServers
  let server: PostgresServer
  let chain: TestChain
  let folder: ServiceFolder
  let alpha: TradedToken
  let env: Readonly<Record<string, string>>
  let port: number

  beforeAll(async () => {
    servers = await openPostgresServers(system ?? undefined)
    await servers.asUser('mkdir', [archive()])
    port = await freePort()
    server = await servers.start(await servers.initialise('data'), port, archiving())
    chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 3_600 })
    alpha = await launchToken(chain)
    await alpha.buy()
    await chain.mine(60)
    folder = await serviceFolder(chain)
    env = { DATABASE_URL: urlAt(port), KEEP_LOGS: 'true', MAX_REORG_DEPTH: '4', PORT: String(await freePort()) }
    for (const settings of [{}, { SCHEMA: 'side' }]) expect(await (await start(settings)).stop()).toBe(0)
  })

  test('that is dumped while it is written ends, on a newer server, as the one that it was dumped from', async () => {
    const service = await start()
    const dumped = run(commandOf('pg_dump'), { DATABASE_URL: urlAt(port) })
    for (let block = 0; block < 5; block++) await alpha.buy()
    await dumped
    await alpha.buy()
    await service.indexed(await chain.head())
    const seen = await alphaAt(service)
    expect(await service.stop()).toBe(0)

    const copy = await useDatabase({ migrated: false })
    await run(commandOf('pg_restore'), { NEW_DATABASE_URL: copy.url })
    const restored = await start({ DATABASE_URL: copy.url })
    const { sequence, ...state } = await alphaAt(restored)
    expect(sequence).toBeGreaterThan(seen.sequence)
    expect({ ...state, sequence: seen.sequence, updatedAt: seen.updatedAt }).toEqual(seen)
    expect(await restored.stop()).toBe(0)
    expect(await dumpTables(copy.kysely)).toEqual(await tablesNow())
    const [logs = [], others = []] = await beside(copy.kysely)
    expect([logs.length > 0, others.length]).toEqual([true, 1])
    expect([logs, others]).toEqual(await beside(server.db))
  })

  test('that is set back to an earlier moment ends as before, and clients of its service miss nothing', async () => {
    const service = await start()
    const client = new SdkClient(service.url, alpha.token)
    onTestFinished(() => client.close())
    await eventually(() => client.isWatching)
    const before = (await tradesAt(service)).length
    await run(commandOf('pg_basebackup'), { DATABASE_URL: urlAt(port) })
    await alpha.buy()
    await service.indexed(await chain.head())
    const { rows } = await sql<{ moment: string }>`select clock_timestamp()::text as moment`.execute(server.db)
    for (let block = 0; block < 3; block++) await alpha.buy()
    await service.indexed(await chain.head())
    const seen = await alphaAt(service)
    await eventually(() => client.sequences.at(-1) === seen.sequence)
    const tables = await tablesNow()
    expect(await service.stop()).toBe(0)
    await server.kill()

    await run(commandOf('recovery.signal'), { PGDATA: `${servers.folder}/data`, ARCHIVE: archive(), MOMENT: rows[0]?.moment ?? '' })
    server = await servers.start(path.join(servers.folder, 'restored'), port)
    const count = async () =>
      (await sql<{ trades: number }>`select count(*)::int as trades from public.trade`.execute(server.db)).rows[0]?.trades
    await eventually(
      async () => !(await sql<{ inRecovery: boolean }>`select pg_is_in_recovery() as "inRecovery"`.execute(server.db)).rows[0]?.inRecovery,
    )
    expect(await count()).toBe(before + 1)

    const again = await start()
    await alpha.buy()
    await again.indexed(await chain.head())
    const trades = (await tradesAt(again)).map(({ id }) => id)
    expect(trades).toHaveLength(before + 5)
    await eventually(() => client.holds(trades.at(-1) ?? ''))
    expect((await alphaAt(again)).sequence).toBeGreaterThan(seen.sequence)
    expect(client.sequences).toEqual([...new Set(client.sequences)].toSorted((a, b) => a - b))
    expect(client.eventsOfChannel).toEqual(trades.slice(before))
    // Besides that, only requests fail, while the service is away.
    expect(client.gaps.filter(gap => !(gap instanceof Error))).toEqual([])
    expect(tables['trade']).toHaveLength(before + 4)
    expect((await tablesNow())['trade']?.slice(0, -1)).toEqual(tables['trade'])
  })

  function alphaAt(service: Service): Promise<Token> {
    return service.get(`/api/tokens/${alpha.token}`)
  }

  async function tradesAt(service: Service): Promise<readonly Trade[]> {
    return (await service.get<{ data: readonly Trade[] }>(`/api/tokens/${alpha.token}/trades?order=asc&limit=500`)).data
  }

  /** By a connection that finds them where they are since. */
  function tablesNow() {
    return dumpTables(openOrm(urlAt(port)).em.getKysely())
  }

  /** Kept logs, and what is in the other schema. */
  async function beside(db: Kysely<unknown>) {
    const logs = await sql`select * from tokenwire_logs.range order by 1, 2`.execute(db)
    const trades = await sql`select * from side.trade order by 1, 2`.execute(db)
    return [logs.rows, trades.rows]
  }

  async function start(settings: Readonly<Record<string, string>> = {}): Promise<Service> {
    const service = await folder.start({ ...env, ...settings })
    await service.indexed(await chain.head())
    return service
  }

  function run(command: string, variables: Readonly<Record<string, string>>): Promise<unknown> {
    return servers.asUser('/bin/sh', ['-eu', '-c', command], { PATH: `${system?.folder}:${process.env['PATH']}`, ...variables })
  }

  function archive(): string {
    return path.join(servers.folder, 'archive')
  }

  function archiving(): readonly string[] {
    return ['archive_mode=on', `archive_command=test ! -f ${archive()}/%f && cp %p ${archive()}/%f`]
  }
})
