import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import type { TokenUpdate } from '#protocol/encodeUpdate.ts'
import type { IndexerHealth } from '#resources/health.ts'
import type { Token } from '#resources/token.ts'
import { giving, startDocumentServer } from '#test/jobs/metadata/documentServer.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { openFeed } from '#test/support/feedClient.ts'
import { launchToken, type TradedToken } from '#test/support/launchToken.ts'
import { serviceFolder } from '#test/support/service.ts'

/* The whole service as a process, with an IPFS gateway that has one document and hangs for every other. */

const CID = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const HANGING_CID = 'bafybeihhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh'
const database = await useDatabase({ migrated: false })
const gateway = await startDocumentServer()
gateway.answer((request, response) => {
  if (request.url === `/ipfs/${CID}`) giving({ description: 'From IPFS', image: `ipfs://${CID}/a.png` })(request, response)
})
const chain = await startTestChain()
const folder = await serviceFolder(chain)
const service = await folder.start({
  RPC_URLS: chain.anvil.url.replace('http', 'ws'),
  DATABASE_URL: database.url,
  METADATA_FETCH: 'true',
  IPFS_GATEWAYS: gateway.url,
  ARWEAVE_GATEWAYS: gateway.url,
})
const feed = await openFeed(service.url)

/** Launches a token and subscribes to it. */
async function launchWatched(metadataUri: string): Promise<TradedToken> {
  const launched = await launchToken(chain, { metadataUri, firstBuyWei: parseEther('0.01') })
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
  expect(await service.get<Token>(`/api/tokens/${token}`)).toEqual(update.token)
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
  const { token, buy } = await launchWatched(`ipfs://${HANGING_CID}`)
  await gateway.came(2)
  for (let count = 0; count < 2; count++) {
    const block = await buy()
    const update = await updateOf(token, ({ sourceBlock }) => sourceBlock === String(block))
    expect(update.token).toMatchObject({ description: null, imageUrl: null })
  }
  const { token: other } = await launchWatched('data:application/json,{"description":"in itself"}')
  expect((await updateOf(other, update => update.token.description !== null)).token.description).toBe('in itself')
  await expect.poll(async () => (await service.get<IndexerHealth>('/api/indexer/health')).status).toBe('ok')
  const operatorToken = (await readFile(path.join(folder.folder, 'operator-token'), 'utf8')).trim()
  const metrics = await (await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } })).text()
  // A slow machine gets here after the service has given the request up.
  expect(metrics).toMatch(/tokenwire_metadata_under_way\{.*\} 1\n|tokenwire_metadata_attempts_total\{outcome="too_slow",.*\} [1-9]/)
  expect(metrics).toMatch(/tokenwire_metadata_attempts_total\{outcome="read",.*\} 2\n/)
  // The hanging request does not delay the stop.
  expect(await service.stop()).toBe(0)
  expect(service.output()).not.toContain(gateway.url)
})
