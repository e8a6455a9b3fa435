import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { announceTokens } from '#jobs/metadata/metadataReader.ts'
import { createTransaction, oneAtATime } from '#store/connection/transaction.ts'
import { readDueMetadata, readUnannounced, recordMetadata } from '#store/rows/metadata.ts'
import { useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { commitBlocks, indexAtOnce, openIndex, replaceWith, wholeBlock } from '#test/support/simulatedIndex.ts'
import { START_BLOCK } from '#test/support/simulatedLaunchpad.ts'

/*
 * Documents are read and shown at random moments while the chain forks. Afterwards the tables of the chain equal those of a fresh index,
 * and every token shows the document of its current URI, if that was read.
 */

const MAX_REORG_DEPTH = 64

const database = await useDatabase()
const fresh = await useDatabase()

const db = database.kysely
const jobDatabase = { db, transaction: oneAtATime(createTransaction(database.orm)), writer: 'test' }

const documentOf = (uri: string) => ({
  imageUrl: `https://images.example/${encodeURIComponent(uri)}.png`,
  description: `about ${uri}`,
  links: [],
})

it.each(Array.from({ length: 3 }, (_, seed) => seed))('survives reorgs and stays with its token (seed %i)', async seed => {
  await database.clear()
  await fresh.clear()
  const random = createRandom(seed)
  const forking = createForkingChain(random, MAX_REORG_DEPTH)
  const { chain } = forking
  const index = await openIndex(database, { genesisHash: chain.at(0).header.hash, maxReorgDepth: MAX_REORG_DEPTH })
  const published = new Map<string, number>()
  let indexed = 0
  for (let step = 0; step < 6; step++) {
    forking.mine(random.integer(1, 4))
    while (indexed < chain.head().header.number) {
      await commitBlocks(index, chain.at(++indexed))
      if (random.chance(0.3)) await readSome(1)
      if (random.chance(0.5)) await announceSome(random.integer(1, 3))
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
      expect(sequence).toBeGreaterThanOrEqual(published.get(address) ?? 0)
      published.set(address, sequence)
    }
  }
  await indexAtOnce(fresh, chain, indexed)
  expect(await chainTables(database)).toEqual(await chainTables(fresh))

  interface Shown {
    readonly image: string | null
    readonly text: string | null
    readonly uri: string | null
    /** The document of the image that the contract names. */
    readonly own: string | null
    /** Those that the token still waits for. */
    readonly waits: readonly string[]
  }
  const own = sql`case when image_uri is not null then json_build_object('image', image_uri)::text end`
  const show = sql<Shown>`select image_url as image, description as text, metadata_uri as uri, ${own} as own, array(
    select metadata.uri from metadata_waiting join metadata using (key) where metadata_waiting.token = token.address) as waits from token`
  const { rows: tokens } = await show.execute(database.kysely)
  expect(tokens.some(({ uri }) => uri !== null)).toBe(true)
  for (const { image, text, uri, own: ownImage, waits } of tokens) {
    // A token that was launched again may still wait for a document that it shows.
    const readable = [uri, ownImage].map(document => (document === null ? null : documentOf(document)))
    expect([null, ...readable.map(document => document?.imageUrl)]).toContain(image)
    expect([null, readable[0]?.description]).toContain(text)
    if (text === null && uri !== null) expect(waits).toContain(uri)
    if (ownImage !== null && image !== readable[1]?.imageUrl) expect(waits).toContain(ownImage)
  }
  await readSome(100)
  while ((await readUnannounced(db, 1)).length > 0) await announceSome(5)
  for (const { image, text, uri, own: ownImage, waits } of (await show.execute(database.kysely)).rows) {
    const document = uri === null ? null : documentOf(uri)
    expect([waits, text]).toEqual([[], document?.description ?? null])
    expect(image).toBe((ownImage === null ? document : documentOf(ownImage))?.imageUrl ?? null)
  }
})

async function readSome(most: number): Promise<void> {
  const lanes = [
    { lane: 'gateway', limit: most },
    { lane: 'local', limit: most },
  ] as const
  const works = await readDueMetadata(db, lanes, [])
  await recordMetadata(
    db,
    works.map(
      ({ key, uri }) => ({ key, state: 'read', attempts: 1, retryAfterMs: null, outcome: 'read', document: documentOf(uri) }) as const,
    ),
  )
}

async function announceSome(most: number): Promise<void> {
  const waiting = await readUnannounced(db, most)
  if (waiting.length > 0) await announceTokens(jobDatabase, () => 0, waiting)
}

async function sequences(): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ address: string; sequence: number }>`
    select encode(address, 'hex') as address, sequence from token`.execute(database.kysely)
  return new Map(rows.map(({ address, sequence }) => [address, sequence]))
}

/** The tables of the chain, without the tokens' metadata. */
async function chainTables(of: typeof database) {
  const { token = [], ...others } = await dumpTables(of.kysely)
  return { ...others, token: token.map(row => ({ ...(row as object), image_url: null, description: null, links: null })) }
}
