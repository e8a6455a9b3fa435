import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import type { Token } from '#resources/token.ts'
import { answering, Receiver } from '#test/jobs/webhooks/receiver.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { poll } from '#test/support/eventually.ts'
import { openFeed } from '#test/support/feedClient.ts'
import { launchToken } from '#test/support/launchToken.ts'
import { type Service, type ServiceFolder, serviceFolder } from '#test/support/service.ts'

/*
 * Two indexers on one database, the second one with SCHEMA=next and another name for the launchpad, and a gateway whose clients stay.
 * Webhooks and the views of SQL go over with them.
 */

const database = await useDatabase({ migrated: false })
const plain = new URL(database.url)
plain.searchParams.delete('options')
const DATABASE_URL = plain.href
const ROLE = `reader_${process.pid}_${Date.now()}`
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
const alpha = await launchToken(chain)
const receiver = await new Receiver().open()

afterAll(async () => {
  await sql`drop owned by ${sql.id(ROLE)}`.execute(database.kysely)
  await sql`drop role ${sql.id(ROLE)}`.execute(database.kysely)
})

test('a gateway, webhooks and views go to the schema that is served now, and clients keep connections, positions and rising sequences', async () => {
  // As docs/guides/upgrading.md says: `SCHEMA=next … npm start`, then `npm run db:switch -- next`.
  const guide = await readFile('docs/guides/upgrading.md', 'utf8')
  const [, SCHEMA = ''] = /^SCHEMA=(\S+) PORT=\d+ npm start$/m.exec(guide) ?? []
  const [, served = ''] = /^npm run db:switch -- (\S+)$/m.exec(guide) ?? []
  const { service: earlier, folder } = await startIndexer('reference', ['bot', 'down'])
  const { service: later } = await startIndexer('renamed', ['bot', 'down', 'added'], { SCHEMA })
  const gateway = await folder.start({ ROLE: 'gateway', RPC_URLS: '', LAUNCHPADS_FILE: '', DATABASE_URL })
  const launchpads = async () => (await gateway.get<{ data: readonly { name: string }[] }>('/api/launchpads')).data.map(({ name }) => name)
  const feed = await openFeed(gateway.url)
  feed.send({ type: 'subscribe', token: alpha.token })
  feed.send({ type: 'subscribe', channel: 'trades' })
  await feed.next(({ type, channel }) => type === 'subscribed' && channel === 'trades')
  const arrives = (block: number) => feed.next(({ type, sourceBlock }) => type === 'token.update' && Number(sourceBlock) >= block)
  await command('src/commands/dbViews.ts', ROLE)
  const begun = async () => (await sql`select from public.webhook_position`.execute(database.kysely)).rows.length
  await poll(begun).toBe(2)
  receiver.answer = (response, { message }) => answering(message.id === 'down' ? 500 : 204)(response, { id: '', message })
  const blocks = [await alpha.buy(), await alpha.buy()]
  await arrives(Number(blocks.at(-1)))
  expect(await launchpads()).toEqual(['reference'])

  await later.indexed(Number(blocks.at(-1)))
  await poll(() => posted('bot')).toEqual(blocks)
  expect(await viewed()).toEqual(['reference'])
  expect(await command('src/commands/dbSwitch.ts', served)).toContain('Schema next is served now')
  expect(await viewed()).toEqual(['renamed'])
  receiver.answer = answering(204)
  await expect.poll(launchpads).toEqual(['renamed'])
  // The earlier indexer says why it ends.
  const [exitCode] = earlier.process.exitCode === null ? ((await once(earlier.process, 'close')) as [number]) : [earlier.process.exitCode]
  expect([exitCode, earlier.output()]).toEqual([75, expect.stringContaining('has made schema next the served one')])
  // Every watched token comes anew, from the other index.
  const moved = await feed.next(({ token }) => (token as Token | undefined)?.launchpad === 'renamed')
  expect(moved.type).toBe('token.update')

  for (let round = 0; round < 3; round++) {
    const block = await alpha.buy()
    blocks.push(block)
    await arrives(block)
    await feed.next(({ type, block: of }) => type === 'trades' && of === String(block))
  }
  const updates = feed.updates(alpha.token)
  const sequences = updates.map(({ sequence }) => sequence)
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
  expect(updates.at(-1)?.token).toEqual(await gateway.get(`/api/tokens/${alpha.token}`))
  const told = feed.messages.filter(({ type }) => type === 'trades').map(({ block }) => Number(block))
  expect(told).toEqual(blocks)
  expect(feed.messages.filter(({ type }) => type === 'reorg' || type === 'gap' || type === 'error')).toEqual([])
  for (const name of ['bot', 'down']) await poll(() => posted(name)).toEqual(blocks)
  // A webhook of the new process alone misses nothing since the switch. It may have what was committed within the two seconds before.
  const sinceSwitch = blocks.slice(2)
  await poll(() => posted('added').filter(block => sinceSwitch.includes(block))).toEqual(sinceSwitch)
  // The gateway now reads what the other indexer commits.
  while ((await gateway.get<{ indexedBlock: string }>('/api/indexer/health')).indexedBlock !== String(await chain.head())) await pause(20)
})

/** A folder whose launchpads.json has the launchpad under this name, and its indexer, which posts to these webhooks. */
async function startIndexer(name: string, hooks: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Indexer> {
  const { weth, launchpad: factory, startBlock } = chain.deployment
  const launchpads = [{ name, adapter: 'bonding-curve', factory, startBlock }]
  const folder = await serviceFolder(chain, { launchpads: JSON.stringify({ weth, launchpads }) })
  const file = path.join(folder.folder, 'webhooks.json')
  await writeFile(file, JSON.stringify(hooks.map(hook => receiver.config(hook))))
  const settings = { ROLE: 'indexer', DATABASE_URL, WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' }
  return { folder, service: await folder.start({ ...settings, ...env }) }
}

interface Indexer {
  readonly folder: ServiceFolder
  readonly service: Service
}

async function command(...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], DATABASE_URL }
  return (await promisify(execFile)(process.execPath, [...args], { env })).stdout
}

/** The blocks of the trades that a webhook was sent, each message once. */
function posted(name: string): number[] {
  const byId = new Map(receiver.deliveries.filter(({ message }) => message.id === name).map(({ id, message }) => [id, message]))
  return [...byId.values()].flatMap(({ data = [] }) => data.map(trade => Number(trade['blockNumber'])))
}

async function viewed(): Promise<readonly string[]> {
  const { rows } = await sql<{ launchpad: string }>`select distinct launchpad from tokenwire.tokens`.execute(database.kysely)
  return rows.map(({ launchpad }) => launchpad)
}
