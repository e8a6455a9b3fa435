import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import pino from 'pino'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { encodeBlock } from '#bus/blockFeed.ts'
import { announceReports } from '#bus/indexerReport.ts'
import { connectNats } from '#bus/natsConnection.ts'
import { type CommitMessage, commitSubject, createNatsFeed, createNatsOutlet, parseCommitMessage } from '#bus/natsFeed.ts'
import { monotonicMs } from '#clock'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { freePort } from '#test/support/freePort.ts'
import { indexerReport } from '#test/support/indexerReport.ts'
import { listen } from '#test/support/listen.ts'
import { type NatsServer, startNatsServer } from '#test/support/nats.ts'
import { addressOf } from '#test/support/rows.ts'
import { closeSites, type FeedSite, FeedWitness, feedCases, openSite, startFeed } from './feedCases.ts'

const PROGRAM = findProgram({ names: ['nats-server'], aptPackage: 'nats-server' })
const logger = silentLogger

describe.skipIf(PROGRAM === null)('a feed by NATS', async () => {
  const database = await useDatabase()
  const other = await useDatabase()
  const server: NatsServer = await startNatsServer(PROGRAM ?? '')

  feedCases('NATS', database, async site => {
    // As an indexer that publishes: it reads every changed token's state.
    site.isWatched = () => true
    return openFeed(site)
  })

  describe('when messages are lost', () => {
    let site: FeedSite
    beforeAll(async () => {
      site = await openSite(other)
      return closeSites
    })

    const started = async () => {
      const feed = await openFeed(site)
      return { feed, witness: await startFeed(feed, site) }
    }

    test('reads the states that did not come', async () => {
      // Commits do not read them, as in a history that is indexed.
      site.isWatched = () => false
      const { witness } = await started()
      for (let round = 0; round < 3; round++) {
        await site.buy(site.alpha)
        const stored = await site.stored(site.alpha)
        await witness.untilHeld(stored)
        expect(witness.states.at(-1)).toEqual(stored)
      }
      witness.expectRising()
    })

    test('has the newest states while no server runs, and hears again when one does', async () => {
      site.isWatched = token => token === site.alpha
      const { feed, witness } = await started()
      await server.kill()
      // While nothing is committed that could be missed.
      await expect.poll(() => feed.health()).toMatchObject({ carrier: 'nats', connected: false })
      expect(feed.health().disconnectedMs).toBeGreaterThan(0)
      await site.buy(site.alpha)
      await witness.untilHeld(await site.stored(site.alpha))
      expect(feed.health().connected).toBe(false)
      await server.start()
      while (!feed.health().connected) await new Promise(setImmediate)
      await site.buy(site.alpha)
      await witness.untilHeld(await site.stored(site.alpha))
      witness.expectRising()
    })
  })

  describe('on a server that takes small messages only', () => {
    let site: FeedSite
    beforeAll(async () => {
      site = await openSite(await useDatabase())
      return closeSites
    })

    // States, or a commit that named many tokens, were not published, and nothing after them was. Gateways were degraded for ever, and
    // their log said that they had another NATS_URL than the indexer.
    test.each([1_024, 8_192])('publishes every commit, of %i bytes at most, and leaves out what is larger', async bytes => {
      const small = await startNatsServer(PROGRAM ?? '', [`max_payload: ${bytes}`])
      onTestFinished(() => small.kill())
      const connectSmall = async () => {
        const nats = await connectNats({ urls: [urlOf(small.port)], credsFile: null, logger })
        onTestFinished(() => nats.close())
        return nats
      }
      const { url, kysely: db } = site.database
      const { chainId, writer } = site
      const outlet = createNatsOutlet({ nats: await connectSmall(), chainId, writer, db, logger })
      onTestFinished(announceReports(db, () => indexerReport(writer)).stop)
      const heard: CommitMessage[] = []
      const witness = new FeedWitness()
      const hearing = await connectSmall()
      hearing.subscribe(commitSubject(site), message => void heard.push(parseCommitMessage(message)))
      // The server has taken the subscription when it passes on what was published after it on the same connection.
      const listens = Promise.withResolvers<unknown>()
      hearing.subscribe('listens', listens.resolve)
      hearing.publish('listens', '')
      await listens.promise
      const options = { databaseUrl: url, db, chainId, logger, now: monotonicMs, onReport: () => undefined }
      const feed = createNatsFeed({ ...options, nats: await connectSmall() })
      onTestFinished(() => feed.stop())
      site.isWatched = () => true
      site.onCommitted = block => outlet.publish(encodeBlock(block))
      feed.watch(site.alpha)
      feed.start(witness)
      for (let round = 1; round <= 5; round++) {
        await site.buy(site.alpha)
        await witness.untilHeld(await site.stored(site.alpha))
        await expect.poll(() => heard.map(({ changed }) => changed)).toEqual(Array.from({ length: round }, () => [site.alpha]))
      }
      const block = {
        number: 9,
        hash: `0x${'ab'.repeat(32)}`,
        timestamp: 1_700_000_000,
        completedAtMs: 0,
        tokens: [],
        dropped: [],
      } as const
      const unread = Array.from({ length: 1_000 }, (_, index) => addressOf(index))
      outlet.publish(encodeBlock({ ...block, unread }))
      outlet.publish(encodeBlock({ ...block, unread: unread.slice(0, 5) }))
      await expect.poll(() => heard.slice(5).map(({ changed }) => changed)).toEqual([null, unread.slice(0, 5)])
      witness.expectRising()
    })
  })

  test('a server whose messages are too small for a commit is refused at the start', async () => {
    const tiny = await startNatsServer(PROGRAM ?? '', ['max_payload: 200'])
    onTestFinished(() => tiny.kill())
    await expect(connectNats({ urls: [urlOf(tiny.port)], credsFile: null, logger })).rejects.toMatchObject({
      code: 'config_invalid',
      message: 'NATS_URL: the server takes messages of at most 200 bytes; set its max_payload to 512 or more',
    })
  })

  // Servers behind an address translation name addresses that lead nowhere, of which each was tried for up to five seconds.
  test('comes back by the configured servers, whatever others they name', async () => {
    let asked = 0
    const silent = createServer(() => void asked++)
    const port = await listen(silent)
    onTestFinished(() => void silent.close())
    const cluster = `cluster { name: c, listen: "127.0.0.1:${await freePort()}" }`
    const named = await startNatsServer(PROGRAM ?? '', [`client_advertise: "127.0.0.1:${port}"`, cluster])
    onTestFinished(() => named.kill())
    const nats = await connectNats({ urls: [urlOf(named.port)], credsFile: null, logger })
    onTestFinished(() => nats.close())
    for (const round of [1, 2, 3]) {
      await named.kill()
      await expect.poll(() => nats.isConnected).toBe(false)
      await named.start()
      await expect.poll(() => nats.isConnected).toBe(true)
      expect(nats.reconnects).toBe(round)
    }
    expect(asked).toBe(0)
  })

  // The client gave up for good after two refusals, so that gateways had to be restarted after the credentials were put right.
  test('connects again after it was refused for a while', async () => {
    const authorization = (password: string) => [`authorization { user: tokenwire, password: ${password} }`]
    const guarded = await startNatsServer(PROGRAM ?? '', authorization('right'))
    onTestFinished(() => guarded.kill())
    const lines: string[] = []
    const noting = pino({}, { write: (line: string) => void lines.push(line) })
    const nats = await connectNats({ urls: [urlOf(guarded.port, 'tokenwire:right@')], credsFile: null, logger: noting })
    onTestFinished(() => nats.close())
    await guarded.kill()
    await guarded.configure(authorization('wrong'))
    await guarded.start()
    // The first, second and fourth refusal are logged.
    await expect.poll(() => lines.filter(line => line.includes('refuses something')).length).toBeGreaterThanOrEqual(3)
    await guarded.kill()
    await guarded.configure(authorization('right'))
    await guarded.start()
    await expect.poll(() => nats.isConnected).toBe(true)
  })

  // Nothing said why, and the gateways' log named another cause.
  test('says what the server does not permit', async () => {
    const guarded = await startNatsServer(PROGRAM ?? '', [
      'authorization { users: [{ user: tokenwire, password: right, permissions: { publish: { deny: "tokenwire.>" } } }] }',
    ])
    onTestFinished(() => guarded.kill())
    const lines: string[] = []
    const noting = pino({}, { write: (line: string) => void lines.push(line) })
    const nats = await connectNats({ urls: [urlOf(guarded.port, 'tokenwire:right@')], credsFile: null, logger: noting })
    onTestFinished(() => nats.close())
    nats.publish('tokenwire.1.writer.commit', '{}')
    await expect.poll(() => lines.find(line => line.includes('NATS_URL'))).toContain('Permissions Violation for Publish')
  })

  test.for([
    ['chain', { chainId: 8_453 }],
    ['database', { writer: randomUUID() }],
  ] as const)("says that the server is another %s's when the database has commits that are not published there", async ([, publisher]) => {
    const site = await openSite(await useDatabase())
    onTestFinished(closeSites)
    const { chainId, writer } = site
    const { url, kysely: db } = site.database
    const sender = await connectTo()
    onTestFinished(() => sender.close())
    const ofOther = createNatsOutlet({ nats: sender, chainId, writer, db, logger, ...publisher })
    site.onCommitted = block => ofOther.publish(encodeBlock(block))
    onTestFinished(announceReports(db, () => indexerReport(writer)).stop)
    const lines: string[] = []
    const noting = pino({}, { write: (line: string) => void lines.push(line) })
    const options = { databaseUrl: url, db, chainId, logger: noting, now: monotonicMs, onReport: () => undefined }
    const feed = createNatsFeed({ ...options, nats: await connectTo() })
    onTestFinished(() => feed.stop())
    const witness = new FeedWitness()
    feed.watch(site.alpha)
    feed.start(witness)
    await expect.poll(() => feed.health().connected).toBe(true)
    await site.buy(site.alpha)
    // Clients get the state nevertheless.
    await witness.untilHeld(await site.stored(site.alpha))
    while (feed.health().connected) await site.buy(site.alpha)
    const sentence = `NATS_URL: the database has commits that are not published there for it (chain ${chainId}); give this gateway`
    expect(lines.filter(line => line.includes(sentence))).toHaveLength(1)
    site.onCommitted = () => undefined
  })

  // The same sentence came while the indexer or the gateway had lost its connection, and sent operators to a setting that was right.
  test.for(['the process that indexes', 'the gateway'] as const)('says nothing of the setting while %s has lost NATS', async who => {
    const other = await startNatsServer(PROGRAM ?? '')
    onTestFinished(() => other.kill())
    const site = await openSite(await useDatabase())
    onTestFinished(closeSites)
    const { chainId, writer } = site
    const { url, kysely: db } = site.database
    onTestFinished(announceReports(db, () => ({ ...indexerReport(writer), natsConnected: who === 'the gateway' })).stop)
    const lines: string[] = []
    const noting = pino({}, { write: (line: string) => void lines.push(line) })
    const options = { databaseUrl: url, db, chainId, logger: noting, now: monotonicMs, onReport: () => undefined }
    const nats = await connectNats({ urls: [urlOf(other.port)], credsFile: null, logger: noting })
    const feed = createNatsFeed({ ...options, nats })
    onTestFinished(() => feed.stop())
    const witness = new FeedWitness()
    feed.watch(site.alpha)
    feed.start(witness)
    await expect.poll(() => feed.health().connected).toBe(true)
    if (who === 'the gateway') await other.kill()
    for (let buys = 0; buys < 3; buys++) {
      await site.buy(site.alpha)
      await witness.untilHeld(await site.stored(site.alpha))
    }
    await expect.poll(() => feed.health().connected).toBe(false)
    expect(lines.filter(line => line.includes('the same NATS_URL'))).toEqual([])
  })

  test('a connection that is refused names the setting, not the password', async () => {
    const guarded = await startNatsServer(PROGRAM ?? '', ['authorization { user: tokenwire, password: "right%3A" }'])
    onTestFinished(() => guarded.kill())
    const connectAs = (url: string) => connectNats({ urls: [url], credsFile: null, logger })
    const nats = await connectAs(urlOf(guarded.port, 'tokenwire:right%253A@'))
    await nats.close()
    const refused = await connectAs(urlOf(guarded.port, 'tokenwire:wrong@')).catch((error: unknown) => error)
    expect(refused).toMatchObject({
      code: 'config_invalid',
      retryable: false,
      message: expect.stringMatching(/^NATS_URL: .*127.0.0.1/) as unknown,
    })
    expect(String(refused)).not.toContain('wrong')
    await expect(connectAs(urlOf(9))).rejects.toMatchObject({ retryable: true, message: expect.stringContaining('start it') as unknown })
  })

  function urlOf(port: number, user = '') {
    return `nats://${user}127.0.0.1:${port}`
  }

  function connectTo() {
    return connectNats({ urls: [urlOf(server.port)], credsFile: null, logger })
  }

  /** A feed of the site's commits, which an outlet publishes. */
  async function openFeed(site: FeedSite) {
    const { url, kysely: db } = site.database
    const sender = await connectTo()
    onTestFinished(() => sender.close())
    const { chainId, writer } = site
    const outlet = createNatsOutlet({ nats: sender, chainId, writer, db, logger })
    site.onCommitted = block => outlet.publish(encodeBlock(block))
    onTestFinished(announceReports(db, () => indexerReport(writer)).stop)
    const options = { databaseUrl: url, db, chainId, logger, now: monotonicMs }
    return createNatsFeed({ ...options, onReport: () => undefined, nats: await connectTo() })
  }
})
