import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyOnCurve, type Launched, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { Token } from '#resources/token.ts'
import { answering, Receiver } from '#test/jobs/webhooks/receiver.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { poll } from '#test/support/eventually.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import { type Service, type ServiceFolder, serviceFolder } from '#test/support/service.ts'

/*
 * Two indexers on one database, the second one with SCHEMA=next and another name for the launchpad, and a gateway whose clients stay.
 * Webhooks and the views of SQL go over with them.
 */

const database = await useDatabase({ migrated: false })
const plain = new URL(database.url)
plain.searchParams.delete('options')
const DATABASE_URL = plain.href
let chain: TestChain
const folders: ServiceFolder[] = []
const services: Service[] = []
const ROLE = `reader_${process.pid}_${Date.now()}`
let receiver: Receiver
let gateway: Service
let feed: FeedClient
let alpha: Launched
let alice: Address

beforeAll(async () => {
  chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
  receiver = await new Receiver().open()
  const [, creator, second] = chain.accounts as unknown as [Address, Address, Address]
  alice = second
  alpha = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP' })))
})

afterAll(async () => {
  feed?.close()
  for (const { process: child } of services) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  await chain?.stop()
  await receiver?.close()
  for (const folder of folders) await folder.remove()
  await sql`drop owned by ${sql.id(ROLE)}`.execute(database.kysely)
  await sql`drop role ${sql.id(ROLE)}`.execute(database.kysely)
})

async function startIndexer(launchpad: string, hooks: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Service> {
  const { weth, launchpad: factory, startBlock } = chain.deployment
  const launchpads = [{ name: launchpad, adapter: 'bonding-curve', factory, startBlock }]
  const folder = await serviceFolder(chain, { launchpads: JSON.stringify({ weth, launchpads }) })
  folders.push(folder)
  const file = path.join(folder.folder, 'webhooks.json')
  await writeFile(file, JSON.stringify(hooks.map(name => receiver.config(name))))
  return started(folder, { ROLE: 'indexer', DATABASE_URL, WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true', ...env })
}

async function command(...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], DATABASE_URL }
  return (await promisify(execFile)(process.execPath, [...args], { env })).stdout
}

async function started(folder: ServiceFolder | undefined, env: Readonly<Record<string, string>>): Promise<Service> {
  if (folder === undefined) throw new TypeError('start an indexer first')
  const service = await folder.start(env)
  services.push(service)
  return service
}

let paid = parseEther('0.001')
const buy = async () => {
  paid += 1n
  return Number((await chain.mined(buyOnCurve(chain, { from: alice, curve: alpha.curve, paidWei: paid }))).blockNumber)
}
const get = async <T>(path: string) => (await (await fetch(gateway.url + path)).json()) as T
const posted = (name: string) => {
  const byId = new Map(receiver.deliveries.filter(({ message }) => message.id === name).map(({ id, message }) => [id, message]))
  return [...byId.values()].flatMap(({ data = [] }) => data.map(trade => Number(trade['blockNumber'])))
}
const viewed = async () => {
  const { rows } = await sql<{ launchpad: string }>`select distinct launchpad from tokenwire.tokens`.execute(database.kysely)
  return rows.map(({ launchpad }) => launchpad)
}
const launchpads = async () => (await get<{ data: readonly { name: string }[] }>('/api/launchpads')).data.map(({ name }) => name)

test('a gateway, webhooks and views go to the schema that is served now, and clients keep connections, positions and rising sequences', async () => {
  const earlier = await startIndexer('reference', ['bot', 'down'])
  const later = await startIndexer('renamed', ['bot', 'down', 'added'], { SCHEMA: 'next' })
  gateway = await started(folders[0], { ROLE: 'gateway', RPC_URLS: '', LAUNCHPADS_FILE: '', DATABASE_URL })
  feed = await openFeed(gateway.url)
  feed.send({ type: 'subscribe', token: alpha.token })
  feed.send({ type: 'subscribe', channel: 'trades' })
  const arrives = (block: number) => feed.next(({ type, sourceBlock }) => type === 'token.update' && Number(sourceBlock) >= block)
  await command('src/commands/dbViews.ts', ROLE)
  const begun = async () => (await sql`select from public.webhook_position`.execute(database.kysely)).rows.length
  await poll(begun).toBe(2)
  receiver.answer = (response, { message }) => answering(message.id === 'down' ? 500 : 204)(response, { id: '', message })
  const blocks = [await buy(), await buy()]
  await arrives(Number(blocks.at(-1)))
  expect(await launchpads()).toEqual(['reference'])

  await later.indexed(Number(blocks.at(-1)))
  await poll(() => posted('bot')).toEqual(blocks)
  expect(await viewed()).toEqual(['reference'])
  expect(await command('src/commands/dbSwitch.ts', 'next')).toContain('Schema next is served now')
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
    const block = await buy()
    blocks.push(block)
    await arrives(block)
    await feed.next(({ type, block: of }) => type === 'trades' && of === String(block))
  }
  const updates = feed.updates(alpha.token)
  const sequences = updates.map(({ sequence }) => sequence)
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
  expect(updates.at(-1)?.token).toEqual(await get(`/api/tokens/${alpha.token}`))
  const told = feed.messages.filter(({ type }) => type === 'trades').map(({ block }) => Number(block))
  expect(told).toEqual(blocks)
  expect(feed.messages.filter(({ type }) => type === 'reorg' || type === 'gap' || type === 'error')).toEqual([])
  for (const name of ['bot', 'down']) await poll(() => posted(name)).toEqual(blocks)
  // A webhook of the new process alone began with the switch.
  expect(blocks.slice(2)).toEqual(expect.arrayContaining(posted('added')))
  // The gateway now reads what the other indexer commits.
  while ((await get<{ indexedBlock: string }>('/api/indexer/health')).indexedBlock !== String(await chain.head())) await pause(20)
})
