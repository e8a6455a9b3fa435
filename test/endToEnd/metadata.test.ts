import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyOnCurve, type Launched, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { TokenUpdate } from '#protocol/tokenUpdate.ts'
import type { IndexerHealth } from '#resources/health.ts'
import type { Token } from '#resources/token.ts'
import { type DocumentServer, giving, startDocumentServer } from '#test/jobs/metadata/documentServer.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import { type Service, type ServiceFolder, serviceFolder } from '#test/support/service.ts'

/* The whole service as a process, with an IPFS gateway that has one document and hangs for every other. */

const CID = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const HANGING_CID = 'bafybeihhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh'
const database = await useDatabase({ migrated: false })
let chain: TestChain
let gateway: DocumentServer
let folder: ServiceFolder
let service: Service
let feed: FeedClient
let creator: Address

beforeAll(async () => {
  gateway = await startDocumentServer()
  gateway.answer((request, response) => {
    if (request.url === `/ipfs/${CID}`) giving({ description: 'From IPFS', image: `ipfs://${CID}/a.png` })(request, response)
  })
  chain = await startTestChain()
  ;[, creator] = chain.accounts as unknown as [Address, Address]
  folder = await serviceFolder(chain)
  service = await folder.start({
    RPC_URLS: chain.anvil.url.replace('http', 'ws'),
    DATABASE_URL: database.url,
    METADATA_FETCH: 'true',
    IPFS_GATEWAYS: gateway.url,
    ARWEAVE_GATEWAYS: gateway.url,
  })
  feed = await openFeed(service.url)
})

afterAll(async () => {
  feed?.close()
  await service?.stop()
  await chain?.stop()
  await gateway?.close()
  await folder?.remove()
})

const get = async (path: string) => fetch(`${service.url}${path}`)
const tokenOf = async (address: Address) => (await (await get(`/api/tokens/${address}`)).json()) as Token

/** Launches a token and subscribes to it. */
async function launchWatched(metadataUri: string): Promise<Launched> {
  const sent = { from: creator, name: 'Alpha', symbol: 'ALP', metadataUri, firstBuyWei: parseEther('0.01') }
  const launched = readLaunched(await chain.mined(launch(chain, sent)))
  feed.send({ type: 'subscribe', token: launched.token })
  return launched
}

async function updateOf(address: Address, fits: (update: TokenUpdate) => boolean): Promise<TokenUpdate> {
  const message = await feed.next(
    entry => entry.type === 'token.update' && (entry.token as Token).address === address && fits(entry as unknown as TokenUpdate),
  )
  return message as unknown as TokenUpdate
}

test('the document behind the metadata URI reaches subscribers as an update that equals the REST answer', async () => {
  const { token } = await launchWatched(`ipfs://${CID}`)
  const update = await updateOf(token, ({ token }) => token.description !== null)
  expect(update.token).toMatchObject({ description: 'From IPFS', imageUrl: `ipfs://${CID}/a.png`, metadataUri: `ipfs://${CID}` })
  expect(update).toMatchObject({ reason: 'chain', sourceBlock: update.token.asOfBlock, latestTrade: { side: 'buy' } })
  expect(await tokenOf(token)).toEqual(update.token)
  const sequences = feed.updates(token).map(({ sequence }) => sequence)
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
  expect(gateway.requests.length).toBe(1)
})

test('the next token with the same URI has the document from its launch on, without another request', async () => {
  const { token } = await launchWatched(`ipfs://${CID}`)
  const first = await updateOf(token, () => true)
  expect(first.token.description).toBe('From IPFS')
  expect(gateway.requests.length).toBe(1)
})

test('indexing, updates and health continue while the gateway hangs', async () => {
  const { token, curve } = await launchWatched(`ipfs://${HANGING_CID}`)
  await gateway.came(2)
  for (const paid of ['0.02', '0.03']) {
    const { blockNumber } = await chain.mined(buyOnCurve(chain, { from: creator, curve, paidWei: parseEther(paid) }))
    const update = await updateOf(token, ({ sourceBlock }) => sourceBlock === String(blockNumber))
    expect(update.token).toMatchObject({ description: null, imageUrl: null })
  }
  const { token: other } = await launchWatched('data:application/json,{"description":"in itself"}')
  expect((await updateOf(other, update => update.token.description !== null)).token.description).toBe('in itself')
  await expect.poll(async () => ((await (await get('/api/indexer/health')).json()) as IndexerHealth).status).toBe('ok')
  const operatorToken = (await readFile(path.join(folder.folder, 'operator-token'), 'utf8')).trim()
  const metrics = await (await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } })).text()
  // A slow machine gets here after the service has given the request up.
  expect(metrics).toMatch(/tokenwire_metadata_under_way 1\n|tokenwire_metadata_attempts_total\{outcome="too_slow"\} [1-9]/)
  expect(metrics).toContain('tokenwire_metadata_attempts_total{outcome="read"} 2\n')
  // The hanging request does not delay the stop.
  expect(await service.stop()).toBe(0)
  expect(service.output()).not.toContain(gateway.url)
})
