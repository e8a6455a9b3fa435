import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { createMetadataStore, type MetadataStore } from '#jobs/metadata/store.ts'
import { oneAtATime } from '#store/connection/oneAtATime.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { commitBlocks, indexAtOnce, openIndex, replaceWith, wholeBlock } from '#test/support/simulatedIndex.ts'
import { START_BLOCK } from '#test/support/simulatedLaunchpad.ts'

/*
 * Metadata comes in at random moments while the chain forks. Afterwards everything that the chain determines is as in a fresh index, and every
 * token shows exactly the document of the URI that it has now, if that was read.
 */

const MAX_REORG_DEPTH = 64

const database = await useDatabase()
const fresh = await useDatabase()

function openStore(): MetadataStore {
  const transaction = oneAtATime(createTransaction(database.orm))
  return createMetadataStore({ db: database.kysely, transaction, writer: 'test', now: () => 0 })
}

const documentOf = (uri: string) => ({
  imageUrl: `https://images.example/${encodeURIComponent(uri)}.png`,
  description: `about ${uri}`,
  links: [],
})

async function readSome(store: MetadataStore, most: number): Promise<void> {
  const lanes = [
    { lane: 'gateway', limit: most },
    { lane: 'local', limit: most },
  ] as const
  const works = await store.due(lanes, [])
  await store.record(
    works.map(
      ({ key, uri }) => ({ key, state: 'read', attempts: 1, retryAfterMs: null, outcome: 'read', document: documentOf(uri) }) as const,
    ),
  )
}

async function announceSome(store: MetadataStore, most: number): Promise<void> {
  const waiting = await store.unannounced(most)
  if (waiting.length > 0) await store.announce(waiting)
}

async function sequences(): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ address: string; sequence: string }>`
    select encode(address, 'hex') as address, sequence from token`.execute(database.kysely)
  return new Map(rows.map(({ address, sequence }) => [address, Number(sequence)]))
}

/** The tables of the chain, without what a token shows of its metadata. */
async function chainTables(of: typeof database) {
  const { token = [], ...others } = await dumpTables(of.kysely)
  return { ...others, token: token.map(row => ({ ...(row as object), image_url: null, description: null })) }
}

it.each(Array.from({ length: 3 }, (_, seed) => seed))('is neither lost nor resurrected by reorgs (seed %i)', async seed => {
  await database.clear()
  await fresh.clear()
  const random = createRandom(seed)
  const forking = createForkingChain(random, MAX_REORG_DEPTH)
  const { chain } = forking
  const index = await openIndex(database, { genesisHash: chain.at(0).header.hash, maxReorgDepth: MAX_REORG_DEPTH })
  const store = openStore()
  const told = new Map<string, number>()
  let indexed = 0
  for (let step = 0; step < 6; step++) {
    forking.mine(random.integer(1, 4))
    while (indexed < chain.head().header.number) {
      await commitBlocks(index, chain.at(++indexed))
      if (random.chance(0.3)) await readSome(store, 1)
      if (random.chance(0.5)) await announceSome(store, random.integer(1, 3))
    }
    const before = chain.head().header
    forking.fork(random.integer(1, 8), random.integer(0, 2))
    const head = chain.head().header.number
    let ancestor = Math.min(before.number, head)
    const kept = await index.committer.recentBlocks()
    while (ancestor >= START_BLOCK && kept.find(({ number }) => number === ancestor)?.hash !== chain.at(ancestor).header.hash) ancestor--
    const numbers = Array.from({ length: head - ancestor }, (_, above) => ancestor + 1 + above)
    const batches = numbers.map(number => wholeBlock(chain.at(number)))
    if (ancestor < before.number) await replaceWith(index, { ancestor: ancestor < START_BLOCK ? null : chain.at(ancestor).header, batches })
    indexed = ancestor < before.number ? head : before.number
    for (const [address, sequence] of await sequences()) {
      expect(sequence).toBeGreaterThanOrEqual(told.get(address) ?? 0)
      told.set(address, sequence)
    }
  }
  await indexAtOnce(fresh, chain, indexed)
  expect(await chainTables(database)).toEqual(await chainTables(fresh))

  const show = sql<{ uri: string; image_url: string | null; description: string | null; read: boolean; waits: boolean }>`
    select token.metadata_uri as uri, token.image_url, token.description, metadata.state <> 'pending' as read,
      exists (select from metadata_waiting where metadata_waiting.token = token.address and metadata_waiting.key = metadata.key) as waits
    from token join metadata on metadata.key = sha256(convert_to(token.metadata_uri, 'UTF8'))`
  const tokens = (await show.execute(database.kysely)).rows
  const { rows: named } = await sql`select from token where metadata_uri is not null`.execute(database.kysely)
  expect(tokens.length).toBe(named.length)
  expect(tokens.length).toBeGreaterThan(0)
  for (const { uri, image_url, description, read, waits } of tokens) {
    const shows = image_url !== null
    const document = shows ? documentOf(uri) : { imageUrl: null, description: null }
    expect([uri, image_url, description]).toEqual([uri, document.imageUrl, document.description])
    // Of a token that was launched again the first launch may still stand in line.
    expect(shows ? read : waits).toBe(true)
  }
  await readSome(store, 100)
  while ((await store.unannounced(1)).length > 0) await announceSome(store, 5)
  for (const { uri, image_url } of (await show.execute(database.kysely)).rows) expect(image_url).toBe(documentOf(uri).imageUrl)
})
