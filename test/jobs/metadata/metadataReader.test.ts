import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Address } from '#domain/address.ts'
import { type Attempt, createAttempt, type MetadataSettings } from '#jobs/metadata/attempt.ts'
import { createMetadataReader, type MetadataReader } from '#jobs/metadata/metadataReader.ts'
import { isPublicAddress, type Outbound } from '#jobs/metadata/outbound.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { Token } from '#resources/token.ts'
import { createTransaction, oneAtATime, type Transaction } from '#store/connection/transaction.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { runStatements } from '#store/rows/insertRows.ts'
import { attachMetadata } from '#store/rows/metadata.ts'
import { useDatabase } from '#test/support/database.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { addressOf, chainStateRow, insertRows, tokenRow } from '#test/support/rows.ts'
import { giving, PATIENT_LIMITS, startDocumentServer } from './documentServer.ts'

const database = await useDatabase()
const WRITER = 'test'
let readers: MetadataReader[] = []

const first = await startDocumentServer()
const second = await startDocumentServer()

beforeEach(async () => {
  await database.clear()
  await insertRows(database.kysely, 'chain_state', [chainStateRow({ writer: WRITER })])
  for (const server of [first, second]) server.answer((_, response) => void response.writeHead(404).end())
})

afterEach(async () => {
  await Promise.all(readers.map(reader => reader.stop()))
  readers = []
})

const inDatabase = createTransaction(database.orm)

describe('the metadata reader', () => {
  it('shows what a URI leads to with a higher sequence, and tells of it after it is committed', async () => {
    first.answer(giving({ description: 'A token', image: 'https://images.example/a.png', website: 'https://token.example' }))
    const [token] = await launch([`ipfs://${cid(1)}`])
    const [before] = await tokens([token as Address])
    const { updates, reader } = start()
    await until(async () => updates.length).toBe(1)
    expect(updates[0]).toMatchObject({ number: 456, tokens: [], unread: [token], dropped: [] })
    const [after] = await tokens([token as Address])
    const links = [{ kind: 'website', url: 'https://token.example/' }]
    expect(after).toMatchObject({ description: 'A token', imageUrl: 'https://images.example/a.png', links })
    expect(after?.sequence).toBeGreaterThan(before?.sequence ?? Number.POSITIVE_INFINITY)
    expect(after?.updatedAt).toBe(new Date(after?.sequence ?? 0).toISOString())
    expect(after?.asOfBlock).toBe(before?.asOfBlock)
    expect(await stored()).toMatchObject([{ state: 'announced', attempts: 1, outcome: 'read', due: null }])
    const { rows } = await sql`select links from metadata`.execute(database.kysely)
    expect(rows).toEqual([{ links }])
    expect(first.requests.at(-1)).toBe(`127.0.0.1:${first.port}/ipfs/${cid(1)}`)
    expect(reader.view().outcomes).toEqual({ read: 1 })
  })

  it('keeps the sequence rising when that is ahead of the clock, and leaves tokens alone that change in nothing', async () => {
    const [told, same] = await launch(['data:,{"description":"x"}', 'data:,{"name":"x"}'])
    const ahead = Date.now() + 86_400_000
    await sql`update token set sequence = ${ahead}`.execute(database.kysely)
    start()
    await until(async () => (await stored()).map(({ state }) => state)).toEqual(['announced', 'announced'])
    expect((await tokens([told as Address, same as Address])).map(({ sequence }) => sequence)).toEqual([ahead + 1, ahead])
  })

  it('asks once for a URI that several tokens have, also for those that are launched later', async () => {
    const before = first.requests.length
    first.answer(giving({ description: 'shared' }))
    const early = await launch([`ipfs://${cid(2)}`, `ipfs://${cid(2)}`])
    const { updates } = start()
    await until(async () => updates.flatMap(({ unread }) => unread).toSorted()).toEqual(early.toSorted())
    const late = await launch([`ipfs://${cid(2)}`], 10)
    expect((await tokens([...early, ...late])).map(({ description }) => description)).toEqual(['shared', 'shared', 'shared'])
    expect(first.requests.length - before).toBe(1)
    const { rows } = await sql`select from metadata_waiting`.execute(database.kysely)
    expect(rows).toEqual([])
  })

  it('asks the gateways in order until one has the document', async () => {
    const [ofFirst, ofSecond] = [first.requests.length, second.requests.length]
    first.answer((_, response) => void response.writeHead(500).end())
    second.answer(giving({ description: 'second' }))
    const launched = await launch([`ipfs://${cid(3)}`])
    start({ settings: { gateways: { ipfs: [first.url, second.url], arweave: [] } } })
    await until(async () => (await tokens(launched)).map(({ description }) => description)).toEqual(['second'])
    expect([first.requests.length - ofFirst, second.requests.length - ofSecond]).toEqual([1, 1])
  })

  it('does not hold up others while a gateway hangs, and asks no more at once than it may', async () => {
    const before = first.requests.length
    let shown = 0
    first.answer(() => undefined)
    second.answer(giving({ description: 'web' }))
    const hanging = await launch(Array.from({ length: 60 }, (_, index) => `ipfs://${cid(100 + index)}`))
    const { reader } = start()
    await first.came(before + 24)
    const others = await launch([`http://creator.example:${second.port}/x`, 'data:,{"description":"local"}'], 100)
    await until(async () => (await tokens(others)).map(({ description }) => description)).toEqual(['web', 'local'])
    shown = (await tokens(hanging)).filter(({ description }) => description !== null).length
    expect([first.requests.length - before, shown]).toEqual([24, 0])
    expect(reader.view().underWay).toBe(24)
    expect(reader.view().queued).toBeGreaterThan(0)
  })

  it('remembers failures over a restart, and tries again when it is time', async () => {
    const [token] = await launch([`ipfs://${cid(4)}`])
    const { reader } = start()
    await untilOutcome('not_found')
    await reader.stop()
    expect(await stored()).toMatchObject([
      { state: 'pending', attempts: 1, pause: expect.toSatisfy((pause: number) => pause > 47 && pause <= 60) },
    ])
    // It is not due by itself, however long the rest takes.
    await sql`update metadata set next_attempt_at_ms = next_attempt_at_ms + 86400000`.execute(database.kysely)
    const asked = first.requests.length
    first.answer(giving({ description: 'uploaded later' }))
    const again = start()
    const [other] = await launch([`ipfs://${cid(5)}`], 2)
    await until(async () => again.updates.flatMap(({ unread }) => unread)).toEqual([other])
    expect(first.requests.length - asked).toBe(1)
    await sql`update metadata set next_attempt_at_ms = 0 where state = 'pending'`.execute(database.kysely)
    await until(async () => again.updates.flatMap(({ unread }) => unread)).toEqual([other, token])
    expect((await stored())[0]).toMatchObject({ state: 'announced', attempts: 2 })
  })

  it('gives up what can never be read, without a request', async () => {
    const before = first.requests.length + second.requests.length
    await launch(['ipfs://alpha', 'ftp://files.example/x', 'data:,[]', `http://10.0.0.1:${second.port}/x`])
    start()
    await until(async () => (await stored()).map(({ state, due }) => [state, due])).toEqual(
      Array.from({ length: 4 }, () => ['refused', null]),
    )
    expect((await stored()).map(({ outcome }) => outcome)).toEqual(['malformed', 'unsupported', 'forbidden_url', 'malformed'])
    expect(first.requests.length + second.requests.length).toBe(before)
  })

  it('leaves a host alone that asks for it, and counts nothing against what waits meanwhile', async () => {
    first.answer((_, response) => void response.writeHead(429, { 'retry-after': '600' }).end())
    await launch([`ipfs://${cid(6)}`])
    const { log } = start()
    await untilOutcome('rate_limited')
    const asked = first.requests.length
    await launch([`ar://${'a'.repeat(43)}`], 2)
    await until(async () => (await stored()).map(({ outcome }) => outcome)).toEqual(['paused', 'rate_limited'])
    expect((await stored()).map(({ attempts }) => attempts)).toEqual([0, 1])
    for (const { due } of await stored()) expect(due).toSatisfy((seconds: number) => seconds > 500 && seconds <= 600)
    expect(first.requests.length).toBe(asked)
    expect(log.lines()).toMatchObject([{ gateway: 'ipfs-1', problem: 'rate_limited' }])
    expect(log.text()).not.toContain('127.0.0.1')
  })

  it('begins again with what a stop interrupted', async () => {
    const before = first.requests.length
    first.answer(() => undefined)
    const launched = await launch([`ipfs://${cid(7)}`])
    const { reader, updates } = start()
    await first.came(before + 1)
    await reader.stop()
    await first.gone(before)
    expect(await stored()).toMatchObject([{ state: 'pending', attempts: 0, outcome: null }])
    expect(updates).toEqual([])
    first.answer(giving({ description: 'after all' }))
    start()
    await until(async () => (await tokens(launched)).map(({ description }) => description)).toEqual(['after all'])
  })

  it('tells of a commit whose outcome was not known, and makes it once', async () => {
    let lost = 0
    const losing: Transaction = async work => {
      const result = await inDatabase(work)
      if (lost++ === 0) throw new Error('the connection broke after the commit')
      return result
    }
    const [token] = await launch(['data:,{"description":"x"}'])
    await sql`update token set sequence = ${Date.now() + 86_400_000}`.execute(database.kysely)
    const [before] = await tokens([token as Address])
    const { updates, log } = start({ transaction: losing })
    await until(async () => updates.flatMap(({ unread }) => unread)).toEqual([token])
    expect((await tokens([token as Address]))[0]?.sequence).toBe((before?.sequence ?? 0) + 1)
    expect(log.lines()).toMatchObject([{ failures: 1, msg: 'metadata could not be stored, trying again' }])
  })

  it('shows one document to many tokens in several commits', async () => {
    const launched = await launch(Array.from({ length: 450 }, () => 'data:,{"description":"all the same"}'))
    const { updates } = start()
    await until(async () => updates.length).toBe(3)
    expect(new Set(updates.flatMap(({ unread }) => unread))).toEqual(new Set(launched))
    expect(Math.max(...updates.map(({ unread }) => unread.length))).toBe(200)
    await until(async () => (await stored()).map(({ state }) => state)).toEqual(['announced'])
  })

  it('sends no request when that is switched off, and catches up when it is on again', async () => {
    const before = first.requests.length + second.requests.length
    first.answer(giving({ description: 'gateway' }))
    second.answer(giving({ description: 'web' }))
    const launched = await launch([`ipfs://${cid(8)}`, `http://creator.example:${second.port}/x`, '{"description":"inline"}'])
    const off = start({ settings: { fetch: false } })
    await until(async () => (await stored()).map(({ outcome, due }) => [outcome, due])).toEqual([
      ['fetch_off', null],
      ['fetch_off', null],
      ['read', null],
    ])
    await off.reader.stop()
    const withoutHttp = start({ settings: { allowHttp: false } })
    await until(async () => (await stored()).map(({ outcome }) => outcome)).toEqual(['http_off', 'read', 'read'])
    await withoutHttp.reader.stop()
    expect(first.requests.length + second.requests.length - before).toBe(1)
    start()
    await until(async () => (await tokens(launched)).map(({ description }) => description)).toEqual(['gateway', 'web', 'inline'])
  })

  it('stops when another process has become the writer, and changes nothing', async () => {
    const launched = await launch(['data:,{"description":"x"}'])
    await sql`update chain_state set writer = 'another'`.execute(database.kysely)
    const { updates, log } = start()
    await until(async () => log.lines().map(({ msg }) => msg)).toEqual(['reading metadata has stopped'])
    expect(updates).toEqual([])
    expect((await tokens(launched))[0]?.description).toBeNull()
  })

  it('outlives a document that it trips over, and remembers that', async () => {
    const launched = await launch(['data:,{"description":"bad"}', 'data:,{"description":"good"}'])
    const tripping =
      (attempt: Attempt): Attempt =>
      async (work, signal) => {
        if (work.uri.includes('bad')) throw new TypeError('a defect')
        return attempt(work, signal)
      }
    const { log } = start({ attempt: tripping })
    await until(async () => (await tokens(launched)).map(({ description }) => description)).toEqual([null, 'good'])
    await until(async () => (await stored()).map(({ outcome }) => outcome)).toEqual(['internal', 'read'])
    expect(log.lines()).toMatchObject([{ msg: 'reading a metadata document threw' }])
  })

  it('does not give a token the document of a URI that it had on a dropped branch', async () => {
    const [token] = await launch(['data:,{"description":"of the dropped branch"}'])
    await sql`delete from token`.execute(database.kysely)
    await launch(['ipfs://no-content'])
    const { updates } = start()
    await until(async () => (await stored()).map(({ state }) => state)).toEqual(['announced', 'refused'])
    expect(updates.flatMap(({ unread }) => unread)).toEqual([token])
    expect((await tokens([token as Address]))[0]?.description).toBeNull()
  })
})

interface StartOptions {
  readonly settings?: Partial<MetadataSettings>
  readonly transaction?: Transaction
  readonly attempt?: (attempt: Attempt) => Attempt
}

interface Started {
  readonly reader: MetadataReader
  readonly updates: readonly CommittedBlock[]
  readonly log: ReturnType<typeof createLogLines>
}

function start({ settings, transaction = inDatabase, attempt = given => given }: StartOptions = {}): Started {
  const log = createLogLines()
  const now = () => performance.now()
  const outbound: Outbound = {
    resolve: async () => ['127.0.0.1'],
    isPublic: address => address === '127.0.0.1' || isPublicAddress(address),
    ports: { https: 443, http: second.port },
    limits: PATIENT_LIMITS,
  }
  const all: MetadataSettings = { fetch: true, allowHttp: true, gateways: { ipfs: [first.url], arweave: [first.url] }, ...settings }
  const reader = createMetadataReader({
    db: database.kysely,
    transaction: oneAtATime(transaction),
    writer: WRITER,
    attempt: attempt(createAttempt({ settings: all, outbound, logger: log.logger, now })),
    settings: all,
    logger: log.logger,
    now,
    pollMs: 20,
    spacingMs: 1,
  })
  readers.push(reader)
  const updates: CommittedBlock[] = []
  reader.updates.subscribe(update => updates.push(update))
  return { reader, updates, log }
}

/** Launches tokens with these URIs in one transaction, as a block's commit does; the nth has the number n. */
async function launch(uris: readonly string[], from = 1): Promise<readonly Address[]> {
  const rows = uris.map((metadata_uri, index) => tokenRow(from + index, { metadata_uri, image_url: null, description: null }))
  const addresses = uris.map((_, index) => addressOf(from + index))
  await inDatabase(async tx => {
    await insertRows(tx, 'token', rows)
    await runStatements(tx, attachMetadata(addresses))
  })
  return addresses
}

interface StoredUri {
  readonly uri: string
  readonly state: string
  readonly attempts: number
  readonly outcome: string | null
  /** In seconds from now on; `null`: it is not tried again by itself. */
  readonly due: number | null
  /** In seconds, from the last attempt to the next one. */
  readonly pause: number | null
}

async function stored(): Promise<readonly StoredUri[]> {
  const { rows } = await sql<StoredUri>`select uri, state, attempts, outcome,
    round(next_attempt_at_ms / 1000.0 - extract(epoch from now()))::integer as due,
    (next_attempt_at_ms - attempted_at_ms) / 1000.0::float8 as pause from metadata order by uri`.execute(database.kysely)
  return rows
}

function cid(n: number) {
  return `bafybei${n
    .toString(32)
    .padStart(52, 'a')
    .replaceAll(/[0189]/g, 'z')}`
}

async function tokens(addresses: readonly Address[]): Promise<readonly Token[]> {
  return (await readSnapshots(database.kysely, { chainId: 1, addresses })).map(({ token }) => token)
}

function until(check: () => Promise<unknown>) {
  return expect.poll(check, { interval: 10 })
}

function untilOutcome(outcome: string) {
  return until(async () => (await stored()).every(row => row.outcome === outcome)).toBe(true)
}
