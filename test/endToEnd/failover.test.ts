import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import type { IndexerHealth } from '#resources/health.ts'
import type { Trade } from '#resources/trades.ts'
import { startTestChain } from '#test/support/chain.ts'
import { openOrm, useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { startPostgresProxy } from '#test/support/faults/postgresProxy.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { launchToken } from '#test/support/launchToken.ts'
import { startReplication } from '#test/support/replication.ts'
import { type Service, serviceFolder } from '#test/support/service.ts'
import { SdkClient } from './sdkClient.ts'

/*
 * A managed database fails over: it ends its sessions, refuses new ones, takes no writes for a while, and is then another server behind the
 * same name. Connections that were opened to the standby under that name stayed with it for good: the right to index and the gateways'
 * notifications for as long as the process ran.
 */

/** The sessions of the tests' own connections. */
const TEST = 'of the test'
const ALL = '/api/trades'

interface Failover {
  readonly what: string
  readonly happens: (site: Site) => Promise<void>
  /** Which server is the primary afterwards. */
  readonly endsAt: 'primary' | 'replica'
}

const FAILOVERS: readonly Failover[] = [
  { what: 'is promoted from a standby at another address', happens: isPromoted, endsAt: 'replica' },
  { what: 'is promoted without the last commits', happens: isPromotedWithoutTheLast, endsAt: 'replica' },
  { what: 'has its name lead to a standby for a while', happens: leadsToStandbyForAWhile, endsAt: 'primary' },
  { what: 'is set to read-only for a while', happens: isReadOnlyForAWhile, endsAt: 'primary' },
]

// Most of the time each waits for a limit to pass, which none of them shares.
test.concurrent.for(FAILOVERS)('goes on by itself, with its clients, when the database $what', async ({ happens, endsAt }) => {
  const site = await openSite()
  const { chain, alpha, service, clients } = site
  const before = (await tradesAt(service, ALL)).length
  await happens(site)
  await alpha.buy()
  await service.indexed(await chain.head())
  const since = (await tradesAt(service, ALL)).slice(before)
  for (const client of clients) {
    await eventually(() => client.holds(since.at(-1) ?? ''), { interval: 20 })
    expect(client.eventsOfChannel).toEqual(since)
  }
  await expectRightEnd(site, endsAt)
})

test.concurrent('goes on with a backfill when the database fails over in the middle of a commit', async () => {
  const site = await openSite()
  const { chain, alpha, proxy, service } = site
  const [failover] = FAILOVERS
  const struck = Promise.withResolvers<void>()
  let [movesCursor, commits] = [false, 0]
  proxy.setMisfortune(({ kind, sql: text }) => {
    movesCursor ||= text.includes('set cursor_number')
    if (kind !== 'commit' || !movesCursor || ++commits !== 2) return undefined
    proxy.setServer('starting')
    struck.resolve()
    return { kind: 'cut-inside' }
  })
  await chain.mine(2_000)
  await alpha.buy()
  await struck.promise
  await failover?.happens(site)
  await alpha.buy()
  await service.indexed(await chain.head())
  await expectRightEnd(site, 'replica')
})

/** The clients were never disconnected, no sequence went back, and the tables are those of a fresh index. */
async function expectRightEnd({ chain, service, clients, primary, replica }: Site, endsAt: Failover['endsAt']): Promise<void> {
  for (const client of clients) {
    expect(client.closes).toEqual([])
    expect(client.sequences).toEqual([...new Set(client.sequences)].toSorted((a, b) => a - b))
  }
  expect(await service.stop()).toBe(0)
  const fresh = await useDatabase()
  await (await openChainIndex(chain, fresh)).indexRange(chain.deployment.startBlock)
  expect(await dumpTables(endsAt === 'primary' ? primary : replica)).toEqual(await dumpTables(fresh.kysely))
}

async function tradesAt(service: Service, path: string): Promise<readonly string[]> {
  return (await service.get<{ data: readonly Trade[] }>(`${path}?order=asc&limit=500`)).data.map(({ id }) => id)
}

async function isPromoted(site: Site): Promise<void> {
  await shutDown(site)
  await site.replication.killPrimary()
  await leadToReplica(site)
  await site.replication.promote()
}

async function isPromotedWithoutTheLast(site: Site): Promise<void> {
  await site.replication.endStreaming()
  const lost = await launchToken(site.chain, { name: 'Lost', symbol: 'LST' })
  await site.alpha.buy()
  await site.service.indexed(await site.chain.head())
  await lost.buy()
  await site.replication.killPrimary()
  await leadToReplica(site)
  await site.replication.promote()
}

async function leadsToStandbyForAWhile(site: Site): Promise<void> {
  await shutDown(site)
  await leadToReplica(site)
  site.proxy.setTarget(site.replication.primaryUrl)
  // What is connected to the standby stays so, unless the service ends it.
  await eventually(async () => expect(await sessionsOf(site.replica)).toEqual([]), { interval: 100 })
}

async function isReadOnlyForAWhile(site: Site): Promise<void> {
  await sql`alter system set default_transaction_read_only = on`.execute(site.primary)
  await sql`select pg_reload_conf()`.execute(site.primary)
  await site.alpha.buy()
  await site.says('the database takes no writes')
  await sql`alter system reset default_transaction_read_only`.execute(site.primary)
  await sql`select pg_reload_conf()`.execute(site.primary)
}

type Site = Awaited<ReturnType<typeof openSite>>

/** A chain, two servers, the name that leads to the first one, and a service with a gateway that know only the name. */
async function openSite() {
  const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 40_000 })
  const alpha = await launchToken(chain)
  const folder = await serviceFolder(chain)
  const replication = await startReplication()
  const proxy = await startPostgresProxy({ url: replication.primaryUrl })
  const open = (url: string) => openOrm(url, { applicationName: TEST, isStandbyWanted: true }).em.getKysely<unknown>()
  const service = await folder.start({ DATABASE_URL: proxy.url })
  await alpha.buy()
  await service.indexed(await chain.head())
  const gateway = await folder.start({ DATABASE_URL: proxy.url, ROLE: 'gateway', RPC_URLS: '', LAUNCHPADS_FILE: '' })
  const clients = [service, gateway].map(({ url }) => new SdkClient(url, alpha.token))
  for (const client of clients) await eventually(() => client.isWatching)
  /** Resolves when the process that indexes gives this reason. */
  const says = async (reason: string) => {
    const reasons = async () => (await service.get<IndexerHealth>('/api/indexer/health')).reasons
    await eventually(async () => expect(await reasons()).toContain(reason), { interval: 20 })
  }
  const [primary, replica] = [open(replication.primaryUrl), open(replication.replicaUrl)]
  return { chain, alpha, replication, proxy, primary, replica, service, clients, says }
}

async function sessionsOf(db: Kysely<unknown>) {
  const ours = sql<{ name: string }>`select application_name as name from pg_stat_activity where application_name like 'tokenwire-%'`
  return (await ours.execute(db)).rows
}

/** As the server that shuts down does: sessions end with 57P01, and new ones are refused with 57P03. */
async function shutDown({ proxy, primary, says }: Site): Promise<void> {
  proxy.setServer('starting')
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tokenwire%' and pid <> pg_backend_pid()`
    .execute(primary)
    .catch(() => undefined)
  await says('the database is starting or stopping')
}

async function leadToReplica(site: Site): Promise<void> {
  site.proxy.setTarget(site.replication.replicaUrl)
  site.proxy.setServer('up')
  await site.alpha.buy()
  await site.says('the database takes no writes')
}
