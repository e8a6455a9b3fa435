import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyOnCurve, type Launched, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { Token } from '#resources/token.ts'
import { switchSchema } from '#store/switchSchema.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import { type Service, type ServiceFolder, serviceFolder } from '#test/support/service.ts'

/* Two indexers on one database, the second one with SCHEMA=next and another name for the launchpad, and a gateway whose clients stay. */

const database = await useDatabase({ migrated: false })
const plain = new URL(database.url)
plain.searchParams.delete('options')
const DATABASE_URL = plain.href
let chain: TestChain
const folders: ServiceFolder[] = []
const services: Service[] = []
let gateway: Service
let feed: FeedClient
let alpha: Launched
let alice: Address

beforeAll(async () => {
  chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
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
  for (const folder of folders) await folder.remove()
})

async function startIndexer(launchpad: string, env: Readonly<Record<string, string>> = {}): Promise<Service> {
  const { weth, launchpad: factory, startBlock } = chain.deployment
  const launchpads = [{ name: launchpad, adapter: 'bonding-curve', factory, startBlock }]
  const folder = await serviceFolder(chain, { launchpads: JSON.stringify({ weth, launchpads }) })
  folders.push(folder)
  return started(folder, { ROLE: 'indexer', DATABASE_URL, ...env })
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
const launchpads = async () => (await get<{ data: readonly { name: string }[] }>('/api/launchpads')).data.map(({ name }) => name)

test('a gateway goes to the schema that is served now, and its clients keep connections, positions and rising sequences', async () => {
  const earlier = await startIndexer('reference')
  const later = await startIndexer('renamed', { SCHEMA: 'next' })
  gateway = await started(folders[0], { ROLE: 'gateway', RPC_URLS: '', LAUNCHPADS_FILE: '', DATABASE_URL })
  feed = await openFeed(gateway.url)
  feed.send({ type: 'subscribe', token: alpha.token })
  feed.send({ type: 'subscribe', channel: 'trades' })
  const arrives = (block: number) => feed.next(({ type, sourceBlock }) => type === 'token.update' && Number(sourceBlock) >= block)
  const blocks = [await buy(), await buy()]
  await arrives(Number(blocks.at(-1)))
  expect(await launchpads()).toEqual(['reference'])

  await later.indexed(Number(blocks.at(-1)))
  await switchSchema(DATABASE_URL, 'next', silentLogger)
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
  // The gateway now reads what the other indexer commits.
  while ((await get<{ indexedBlock: string }>('/api/indexer/health')).indexedBlock !== String(await chain.head())) await pause(20)
})
