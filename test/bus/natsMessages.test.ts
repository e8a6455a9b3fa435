import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pino from 'pino'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { encodeBlock } from '#bus/blockFeed.ts'
import { announceReports } from '#bus/indexerReport.ts'
import { connectNats, type Nats } from '#bus/natsConnection.ts'
import {
  type CommitMessage,
  commitSubject,
  createNatsFeed,
  createNatsOutlet,
  type NatsFeedOptions,
  type Publisher,
  tokenSubject,
} from '#bus/natsFeed.ts'
import { monotonicMs } from '#clock'
import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { channelOfSchema } from '#store/connection/databaseSchema.ts'
import { silentLogger as logger, useDatabase } from '#test/support/database.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { indexerReport } from '#test/support/indexerReport.ts'
import { type NatsServer, startNatsServer } from '#test/support/nats.ts'
import { closeSites, type FeedSite, FeedWitness, openSite } from './feedCases.ts'

/* What anyone who may publish on the NATS server or notify in the database can send, and what the services of other databases do. */

const PROGRAM = findProgram({ names: ['nats-server'], aptPackage: 'nats-server' })

describe.skipIf(PROGRAM === null)('a feed by NATS', async () => {
  const server: NatsServer = await startNatsServer(PROGRAM ?? '')
  const databases = [await useDatabase(), await useDatabase()] as const
  let site: FeedSite
  let ofOther: FeedSite
  beforeAll(async () => {
    site = await openSite(databases[0])
    ofOther = await openSite(databases[1])
    return closeSites
  })

  test('ignores what no indexer sends, says so now and then, and goes on', async () => {
    reports(site)
    const { witness, log } = await started(site)
    const { alpha, beta } = site
    const { block, state, say, publishState, publishCommit } = await speaker(site, alpha, await site.stored(alpha))
    await untilHeard(witness, say)
    const text = (value: unknown) => JSON.stringify(value)
    const none = ['{}', '', 'nothing', 'null', `"${'x'.repeat(1_000_000)}"`]
    const { token, ...rest } = state()
    const wrongStates = [
      { token },
      { ...rest, token: null },
      { ...rest, token, holders: {} },
      { ...rest, token, recent: null },
      { ...rest, token: { ...token, address: beta } },
      { ...rest, token: { ...token, sequence: '7' } },
      { ...rest, token: { ...token, sequence: -1 } },
      { ...rest, token: { ...token, description: 'x'.repeat(100_000) } },
    ]
    const states = [...none, '[]', '7', '['.repeat(60_000), ...wrongStates.map(text)]
    const stranger = () => `0x${randomBytes(20).toString('hex')}`
    const wrongCommits = [
      { count: undefined },
      { count: '1' },
      { commit: -1 },
      { number: null },
      { timestamp: 1.5 },
      { hash: `0x${'a'.repeat(1_000)}` },
      { dropped: null },
      { changed: {} },
      { changed: ['0xAB'] },
      { changed: Array.from({ length: 400_000 }, () => 7) },
      { dropped: Array.from({ length: 10_001 }, stranger) },
    ]
    const commits = [...none, ...wrongCommits.map(wrong => text({ ...block, count: 1, ...wrong }))]
    for (const one of states) publishState(one)
    for (const one of commits) publishCommit(one)
    expect([states.length, commits.length]).toEqual([16, 16])
    await expect.poll(() => log.flatMap(({ ignored }) => ignored ?? [])).toEqual([1, 2, 4, 8, 16, 32])
    expect(Math.max(...log.map(({ reason = '' }) => reason.length))).toBe(200)
    await untilHeard(witness, say)
    expect(heldBy(witness)).not.toContain(token.sequence)
  })

  test('is not sent a state that is too large, and reads it', async () => {
    const published: string[] = []
    const { chainId, writer, alpha, beta } = site
    const nats = { publish: (subject: string) => void published.push(subject), maxMessageBytes: 1_048_576, isConnected: true }
    const outlet = createNatsOutlet({ nats, chainId, writer, db: site.database.kysely, logger })
    const [small, { token, ...rest }] = [await site.stored(alpha), await site.stored(beta)]
    const large = { ...rest, token: { ...token, description: 'x'.repeat(70_000) } }
    const block = { number: 1, hash: '0x', timestamp: 1, completedAtMs: 1, unread: [], dropped: [] } as const
    outlet.publish(encodeBlock({ ...block, tokens: [small, large] }))
    await outlet.stop()
    expect(published).toEqual([tokenSubject(site, alpha), commitSubject(site)])
  })

  test('compares with the database when the count of commits does not rise by one', async () => {
    reports(site)
    const { witness } = await started(site)
    const { say } = await speaker(site, site.alpha, await site.stored(site.alpha))
    const counts = { next: 100 }
    await untilHeard(witness, () => say(counts.next++))
    const doubtful: number[] = []
    for (const count of [counts.next + 1, counts.next - 3, 0, counts.next + 1, counts.next + 1]) {
      // One after another: of what arrives at once, the states in between may be left out.
      witness.forget()
      doubtful.push(say(count))
      await witness.until(() => witness.hasChanged(site.alpha))
    }
    counts.next += 2
    await untilHeard(witness, () => say(counts.next++))
    for (const sequence of doubtful) expect(heldBy(witness)).not.toContain(sequence)
  })

  test('hears nothing of another database of the same chain and with the same tokens', async () => {
    expect([ofOther.chainId, ofOther.alpha]).toEqual([site.chainId, site.alpha])
    const both = await Promise.all(
      [site, ofOther].map(async one => {
        const { kysely: db } = one.database
        const outlet = createNatsOutlet({ nats: await connected(), chainId: one.chainId, writer: one.writer, db, logger })
        const published: TokenSnapshot[] = []
        one.isWatched = () => true
        one.onCommitted = block => {
          published.push(...block.tokens)
          outlet.publish(encodeBlock(block))
        }
        reports(one)
        const { witness, log } = await started(one)
        await one.buy(one.alpha)
        await witness.untilHeld(await one.stored(one.alpha))
        witness.states.length = 0
        return { one, published, witness, log }
      }),
    )
    for (let round = 0; round < 6; round++) {
      for (const { one, witness } of both) {
        await one.buy(one.alpha)
        await witness.untilHeld(await one.stored(one.alpha))
      }
    }
    for (const { published, witness, log } of both) {
      for (const state of witness.states) expect(published).toContainEqual(state)
      expect(log.filter(({ ignored }) => ignored !== undefined)).toEqual([])
    }
  })

  test('hears the process that takes over, and no longer the one before', async () => {
    const { stop } = announceReports(site.database.kysely, () => indexerReport(site.writer))
    const { witness } = await started(site)
    const stored = await site.stored(site.alpha)
    const former = await speaker(site, site.alpha, stored)
    await untilHeard(witness, former.say)
    await stop()
    const writer = await claimed(site)
    reports({ ...site, writer })
    const successor = await speaker({ ...site, writer }, site.alpha, muchNewer(stored))
    let count = 0
    await untilHeard(witness, () => successor.say(++count))
    witness.states.length = 0
    former.say(++count)
    await untilHeard(witness, () => successor.say(count++))
    for (const sequence of heldBy(witness)) expect(sequence).toBeGreaterThan(muchNewer(stored).token.sequence)
  })

  test('hears nothing of the process that indexes what its database is a copy of', async () => {
    const { witness } = await started(site)
    const stored = await site.stored(site.alpha)
    // The copy has the name of the process that indexed the original until one of its own indexes.
    const original = await speaker(site, site.alpha, stored)
    await expect.poll(() => witness.hasChanged(site.alpha)).toBe(true)
    const said = [1, 2, 3, 4].map(() => original.say())
    const writer = await claimed(site)
    reports({ ...site, writer })
    const own = await speaker({ ...site, writer }, site.alpha, muchNewer(stored))
    await untilHeard(witness, own.say)
    said.push(original.say())
    await untilHeard(witness, own.say)
    for (const sequence of said) expect(heldBy(witness)).not.toContain(sequence)
  })
  test('stays with the process that the database names, however many reports name others', async () => {
    const forged = 2_000
    const nats = await connected()
    const witness = new FeedWitness()
    const hasCompared = () => witness.hasChanged(site.beta)
    let [reported, subscribed] = [0, 0]
    const counted: Nats = {
      ...nats,
      isConnected: true,
      subscribe: (...asked) => {
        if (subscribed++ === 0) witness.forget()
        return nats.subscribe(...asked)
      },
    }
    reports(site)
    await started(site, { nats: counted, onReport: () => void reported++ }, witness)
    await witness.until(() => subscribed > 0 && hasCompared())
    const { say } = await speaker(site, site.alpha, await site.stored(site.alpha))
    await untilHeard(witness, say)
    witness.forget()
    const [reportedBefore, subscribedBefore] = [reported, subscribed]
    const report = JSON.stringify(indexerReport('WRITER'))
    await sql`select pg_notify(${channelOfSchema('tokenwire_indexer')}, replace(${report}, 'WRITER', gen_random_uuid()::text))
      from generate_series(1, ${forged}::int)`.execute(site.database.kysely)
    await expect.poll(() => reported - reportedBefore).toBeGreaterThanOrEqual(forged)
    await untilHeard(witness, say)
    expect(subscribed).toBe(subscribedBefore)
    expect(hasCompared()).toBe(false)
  })

  async function connected(): Promise<Nats> {
    const nats = await connectNats({ urls: [`nats://127.0.0.1:${server.port}`], credsFile: null, logger })
    onTestFinished(() => nats.close())
    return nats
  }

  /** A feed of the site's database that watches its first token, with its log. */
  async function started(
    { database: { url, kysely: db }, chainId, alpha }: FeedSite,
    more: Partial<NatsFeedOptions> = {},
    witness = new FeedWitness(),
  ) {
    const log: { readonly ignored?: number; readonly reason?: string }[] = []
    const noting = pino({}, { write: (line: string) => void log.push(JSON.parse(line)) })
    const options = { databaseUrl: url, db, chainId, logger: noting, now: monotonicMs, onReport: () => undefined }
    const feed = createNatsFeed({ ...options, nats: await connected(), ...more })
    onTestFinished(() => feed.stop())
    feed.watch(alpha)
    feed.start(witness)
    return { feed, witness, log }
  }

  function reports({ database, writer }: FeedSite) {
    return onTestFinished(announceReports(database.kysely, () => indexerReport(writer)).stop)
  }

  /** Claims the site's database for another process, as long as the test runs. */
  async function claimed({ database: { kysely }, writer: former }: FeedSite): Promise<string> {
    const claim = (writer: string) => sql`update chain_state set writer = ${writer}`.execute(kysely)
    const writer = randomUUID()
    await claim(writer)
    onTestFinished(async () => void (await claim(former)))
    return writer
  }

  /** Publishes what no commit of a database is behind, as an indexer of that name. */
  async function speaker(publisher: Publisher, token: Address, stored: TokenSnapshot) {
    const nats = await connected()
    const block: Omit<CommitMessage, 'count'> = { commit: 1, number: 1, hash: '0x', timestamp: 1, changed: [token], dropped: [] }
    let { sequence } = stored.token
    let count = 0
    const state = (): TokenSnapshot => ({ ...stored, token: { ...stored.token, sequence: ++sequence } })
    const publishState = (text: string) => nats.publish(tokenSubject(publisher, token), text)
    const publishCommit = (text: string) => nats.publish(commitSubject(publisher), text)
    return {
      block,
      state,
      publishState,
      publishCommit,
      /** @returns the sequence of the state */
      say: (counted = ++count): number => {
        publishState(JSON.stringify(state()))
        publishCommit(JSON.stringify({ ...block, count: counted }))
        return sequence
      },
    }
  }

  function muchNewer({ token, ...rest }: TokenSnapshot): TokenSnapshot {
    return {
      ...rest,
      token: { ...token, sequence: token.sequence + 1_000_000 },
    }
  }

  function heldBy(witness: FeedWitness) {
    return new Set(witness.states.map(({ token }) => token.sequence))
  }

  /** Says further states until one has arrived: the first ones come before the feed listens, or while it compares with the database. */
  async function untilHeard(witness: FeedWitness, say: () => number): Promise<void> {
    const said = new Set<number>()
    await expect
      .poll(() => {
        said.add(say())
        return [...heldBy(witness)].some(sequence => said.has(sequence))
      })
      .toBe(true)
  }
})
