import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { startTestChain } from '#test/support/chain.ts'
import { closeAfterFile } from '#test/support/closeAfterFile.ts'
import { useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { launchToken } from '#test/support/launchToken.ts'
import { type Service, serviceFolder, spawnService } from '#test/support/service.ts'
import { cursorOf } from '#test/support/simulatedIndex.ts'
import { SdkClient } from './sdkClient.ts'

/* An indexer is replaced by one of a later version, which migrates the database while clients are connected to the earlier one's gateway. */

const CLIENTS = 8

const database = await useDatabase({ migrated: false })
const ofNextVersion = {
  DATABASE_URL: database.url,
  NODE_OPTIONS: `--import=${pathToFileURL('test/support/nextVersion.ts').href}`,
}
const asGateway = { DATABASE_URL: database.url, ROLE: 'gateway', RPC_URLS: '', LAUNCHPADS_FILE: '' }
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 3_600 })
const alpha = await launchToken(chain)
const folder = await serviceFolder(chain)
let clients: readonly SdkClient[] = []

await alpha.buy()
const indexer = await folder.start({ DATABASE_URL: database.url })
await indexed()
const gateway = await folder.start(asGateway)
clients = Array.from({ length: CLIENTS }, () => new SdkClient(gateway.url, alpha.token))
for (const client of clients) await eventually(() => client.isWatching)

async function indexed(): Promise<void> {
  const head = await chain.head()
  await eventually(async () => ((await cursorOf(database.kysely).catch(() => undefined))?.number ?? -1) >= head, { interval: 20 })
}

const alphaAt = (service: Service) => service.get<Token>(`/api/tokens/${alpha.token}`)

test('clients of the earlier gateway stay connected and miss nothing', async () => {
  const before = await alphaAt(gateway)
  expect(await indexer.stop()).toBe(0)
  await database.kysely.connection().execute(async session => {
    await sql`select pg_advisory_lock(4711)`.execute(session)
    const next = spawnService({ ...folder.env, ...ofNextVersion }, process.cwd(), 'src/main.ts')
    const { output } = next
    closeAfterFile(async () => next.process.kill('SIGKILL'))
    await eventually(() => output().includes('"msg":"the migration waits for '), { interval: 20 })
    expect(output()).toContain('"migrations":["Migration9999Next"]')
    expect(await alphaAt(gateway)).toEqual(before)
    for (let block = 0; block < 5; block++) await alpha.buy()
    await sql`select pg_advisory_unlock(4711)`.execute(session)
  })
  await indexed()
  await alpha.buy()
  await indexed()
  const { data: trades } = await gateway.get<{ data: readonly Trade[] }>(`/api/tokens/${alpha.token}/trades?order=asc&limit=100`)
  const since = trades.map(({ id }) => id).slice(1)
  expect(since).toHaveLength(6)
  for (const client of clients) {
    await eventually(() => client.holds(since.at(-1) ?? ''))
    expect([client.gaps, client.closes]).toEqual([[], []])
    expect(client.eventsOfChannel).toEqual(since)
    expect(client.sequences).toEqual([...new Set(client.sequences)].toSorted((a, b) => a - b))
  }
})

test.each([
  ['the earlier indexer', {}],
  ['its gateway', { ROLE: 'gateway', RPC_URLS: '', LAUNCHPADS_FILE: '' }],
])('%s is refused afterwards, with what to do', async (_, settings) => {
  const again = spawnService({ ...folder.env, DATABASE_URL: database.url, ...settings })
  expect(await again.exited).toBe(1)
  expect(again.output()).toMatch(/Tokenwire [\d.]+ has made the schema of this database.*Migration9999Next.*restore the backup/)
})

test('a gateway of the later version shows what the earlier one does', async () => {
  const later = await folder.start({ ...asGateway, ...ofNextVersion }, 'src/main.ts')
  expect(await alphaAt(later)).toEqual(await alphaAt(gateway))
  expect(await later.stop()).toBe(0)
})
