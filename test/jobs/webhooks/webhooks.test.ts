import { once } from 'node:events'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { EventFilter } from '#actors/events/eventFilter.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { parseDecimal } from '#domain/decimal.ts'
import { publicOutbound } from '#jobs/metadata/outbound.ts'
import { postWebhook } from '#jobs/webhooks/postWebhook.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { readChannelEvents } from '#store/reads/channelEvents.ts'
import { replayWebhook } from '#store/rows/webhookPositions.ts'
import { eventually, poll } from '#test/support/eventually.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { addressOf, chainStateRow, insertRows, tokenRow, tradeRow } from '#test/support/rows.ts'
import {
  begun,
  grow,
  HOUR,
  heldBy,
  indexed,
  postWithin,
  receiver,
  start,
  started,
  stateOf,
  storedTrades,
  useHookedIndex,
} from './hookedIndex.ts'
import { answering, Receiver } from './receiver.ts'

const { kysely, clear } = await useHookedIndex()

describe('a webhook', () => {
  it('begins at the head, and gets each later event once and in order, as its channel sends it', async () => {
    await grow(10)
    const before = (await storedTrades()).length
    const webhooks = start([
      [receiver.config('all')],
      [receiver.config('up', { channel: 'crossings' }), { bound: { of: 'holders', side: 'above', value: parseDecimal('2') } }],
    ])
    await begun('all')
    await begun('up')
    await grow(20)
    webhooks.changed(indexed)
    const of = (name: string) => receiver.deliveries.filter(({ message }) => message.id === name)
    await poll(() => heldBy(of('all'))).toEqual((await storedTrades()).slice(before))
    const { rows } = await sql<{ n: number }>`select count(*)::integer as n from value_change
      where block_number > 10 and holders >= 2 and coalesce(holders_before, 0) < 2`.execute(kysely)
    await poll(() => of('up').length).toBe(rows[0]?.n)
    expect(of('up')[0]?.message).toMatchObject({ type: 'crossings', data: [{ of: 'holders', token: { decimals: 18 } }] })
    expect(of('up').length).toBeGreaterThan(0)
    expect(new Set(receiver.deliveries.map(({ id }) => id)).size).toBe(receiver.deliveries.length)
  })

  // A new service with webhooks posted every launch, graduation and crossing of the chain's history while it indexed them.
  it('begins with the first block that is indexed at the head, and gets all since then', async () => {
    await grow(10)
    let isFollowing = false
    const followed = () => (isFollowing ? indexed : null)
    let look = () => {}
    const schedule = (next: () => void) => {
      look = next
      return () => {}
    }
    const webhooks = start([[receiver.config('all')]], { followed, schedule })
    await poll(() => webhooks.problems()).toEqual(['the webhook all begins when the index has caught up with the chain'])
    await grow(10)
    webhooks.changed(indexed)
    const history = (await storedTrades()).length
    // Two blocks follow before the next look.
    isFollowing = true
    for (let block = 0; block < 2; block++) {
      await grow(1)
      webhooks.changed(indexed)
    }
    expect(await stateOf('all')).toBeUndefined()
    expect(webhooks.problems()).toEqual([])
    look()
    await begun('all')
    // One that has begun gets what came while its service was away, also where that is read as a backfill.
    await webhooks.stop()
    await grow(10)
    start([[receiver.config('all')]], { followed: () => null })
    await poll(() => heldBy(receiver.deliveries)).toEqual((await storedTrades()).slice(history))
  })

  // The position was to be stored after each message; whatever lies between two steps must neither lose nor reorder one.
  it('loses and reorders nothing when its process is killed at any step, while blocks are replaced', { timeout: 120_000 }, async () => {
    const random = createRandom(3)
    await grow(5)
    const before = await storedTrades()
    const hooks = [[receiver.config('all')]] as const
    start(hooks)
    await begun('all')
    await started[0]?.stop()
    const expected = async () => {
      const trades = await storedTrades()
      return trades.filter(line => !before.includes(line))
    }
    for (let step = 1; step <= 24; step++) {
      await grow(2, random.chance(0.3) ? 2 : 0)
      let left = step
      const dead = Promise.withResolvers<never>()
      dead.promise.catch(() => undefined)
      const killed = () => left <= 0
      const pass = () => {
        if (--left > 0) return
        dead.reject(new Error('killed'))
        throw new Error('killed')
      }
      const db: Queryable = {
        getExecutor: () => {
          pass()
          return kysely.getExecutor()
        },
      }
      const outbound = publicOutbound()
      const webhooks = start(hooks, {
        db,
        read: query => (killed() ? dead.promise : readChannelEvents(kysely, query, 1)),
        post: async (config, message, signal) => {
          try {
            pass()
            const outcome = await postWebhook(config, message, { outbound, allowPrivate: true, epochMs: Date.now }, signal)
            pass()
            return outcome
          } catch {
            if (!signal.aborted) await once(signal, 'abort')
            return { kind: 'failed', cause: 'killed', retryAfterMs: null }
          }
        },
      })
      webhooks.changed(indexed)
      const all = await expected()
      await eventually(() => killed() || heldBy(receiver.deliveries).join() === all.join())
      await webhooks.stop()
    }
    start(hooks)
    await poll(async () => heldBy(receiver.deliveries)).toEqual(await expected())
    expect(heldBy(receiver.deliveries).length).toBeGreaterThan(20)
    expect(receiver.deliveries.some(({ message }) => message.type === 'reorg')).toBe(true)
  })

  it.each([
    ['fails', answering(500)],
    ['redirects', answering(302, { location: 'http://127.0.0.1:1/' })],
    ['never answers', () => undefined],
    ['closes the connection', response => response.destroy()],
  ] as const satisfies readonly (readonly [string, Receiver['answer']])[])(
    'is sent again with the same id to a receiver that %s, and goes on when it is well again',
    async (_, answer) => {
      await grow(3)
      const webhooks = start([[receiver.config('all')]], { post: postWithin(500) })
      await begun('all')
      const before = (await storedTrades()).length
      receiver.answer = answer
      await grow(6)
      webhooks.changed(indexed)
      await eventually(() => receiver.deliveries.length >= 2)
      expect(new Set(receiver.deliveries.map(({ id }) => id)).size).toBe(1)
      await eventually(async () => ((await stateOf('all'))?.failures ?? 0) > 0)
      receiver.answer = answering(200, { 'content-length': '1000000000' })
      await poll(() => heldBy(receiver.deliveries)).toEqual((await storedTrades()).slice(before))
      await poll(async () => (await stateOf('all'))?.failures).toBe(0)
    },
  )

  it('does not wait for the receiver of another one', async () => {
    const hanging = await new Receiver().open()
    hanging.answer = () => undefined
    await grow(3)
    const before = (await storedTrades()).length
    const webhooks = start([[hanging.config('slow')], [receiver.config('quick')]])
    await begun('slow')
    await begun('quick')
    await grow(6)
    webhooks.changed(indexed)
    await poll(() => heldBy(receiver.deliveries)).toEqual((await storedTrades()).slice(before))
    expect(heldBy(hanging.deliveries).length).toBeLessThan(heldBy(receiver.deliveries).length)
    await webhooks.stop()
    await hanging.close()
  })

  it.each([
    ['at once when its receiver wants no more', 410, 0],
    ['after three days of failures', 503, 73],
  ] as const)('is paused %s, which the health says, and goes on when it is replayed', async (_, status, failingHours) => {
    await grow(3)
    const webhooks = start([[receiver.config('all')]])
    await begun('all')
    const before = (await storedTrades()).length
    receiver.answer = answering(status)
    await grow(6)
    webhooks.changed(indexed)
    if (failingHours > 0) {
      await eventually(async () => ((await stateOf('all'))?.failures ?? 0) > 0)
      await sql`update webhook_position set failing_since_ms = failing_since_ms - ${failingHours * HOUR}`.execute(kysely)
    }
    await eventually(() => webhooks.problems().length > 0)
    expect(webhooks.problems()).toEqual([expect.stringMatching(/^the webhook all is paused: it (wants no more \(410\)|answers 503)$/)])
    receiver.answer = answering(204)
    expect(await replayWebhook(kysely, 'all', null)).toBe(true)
    await poll(() => heldBy(receiver.deliveries)).toEqual((await storedTrades()).slice(before))
    await poll(() => webhooks.problems()).toEqual([])
    // From the beginning again: what was sent before has its earlier ids.
    expect(await replayWebhook(kysely, 'all', { blockNumber: 0, logIndex: 0 })).toBe(true)
    await poll(() => heldBy(receiver.deliveries).length).toBe((await storedTrades()).length)
  })

  // Nothing said which message it was, and where the next one begins.
  it('names the command that passes by the message that a receiver does not take', async () => {
    await grow(3)
    const log = createLogLines()
    const webhooks = start([[receiver.config('all')]], { logger: log.logger })
    await begun('all')
    receiver.answer = answering(410)
    await grow(6)
    webhooks.changed(indexed)
    await eventually(() => webhooks.problems().length > 0)
    const [, command = '', block = '', index = ''] = /(replay all --after) (\d+)-(\d+)/.exec(log.text()) ?? []
    const refused = receiver.deliveries.length
    const passedBy = receiver.deliveries.at(-1)?.message.cursor
    expect([command, `${block}-${index}`]).toEqual(['replay all --after', passedBy])
    receiver.answer = answering(204)
    expect(await replayWebhook(kysely, 'all', { blockNumber: Number(block), logIndex: Number(index) })).toBe(true)
    await grow(3)
    webhooks.changed(indexed)
    const all = await storedTrades()
    const next = all.findIndex(trade => trade.startsWith(`${passedBy} `)) + 1
    await poll(() => heldBy(receiver.deliveries.slice(refused))).toEqual(all.slice(next))
  })

  it('gives an event that takes the place of a void one another id, and tells of the reorg in between', async () => {
    await clear()
    await insertRows(kysely, 'chain_state', [chainStateRow({ cursor_number: 10 })])
    await insertRows(kysely, 'token', [tokenRow(1)])
    const webhooks = start([[receiver.config('all')]])
    await begun('all')
    // As a commit does: a read between the two would find an event above the newest block.
    await kysely.transaction().execute(async tx => {
      await insertRows(tx, 'trade', [tradeRow(addressOf(1), 11, 1)])
      await sql`update chain_state set cursor_number = 11`.execute(tx)
    })
    webhooks.changed(indexed)
    await eventually(() => receiver.deliveries.length === 1)
    await sql`insert into reorg (number, from_block) values (1, 11)`.execute(kysely)
    webhooks.changed(indexed)
    await eventually(() => receiver.deliveries.length === 3)
    expect(receiver.deliveries.map(({ message }) => `${message.type} ${message.cursor}`)).toEqual([
      'trades 11-1',
      `reorg 10-${Number.MAX_SAFE_INTEGER}`,
      'trades 11-1',
    ])
    expect(new Set(receiver.deliveries.map(({ id }) => id)).size).toBe(3)
  })

  it('goes on at once, where it stopped, when its receiver has moved', async () => {
    await grow(3)
    const webhooks = start([[receiver.config('all')]], { retries: { firstMs: HOUR, mostMs: HOUR, patienceMs: 72 * HOUR } })
    await begun('all')
    const before = (await storedTrades()).length
    receiver.answer = answering(500)
    await grow(6)
    webhooks.changed(indexed)
    await eventually(async () => (await stateOf('all'))?.failures === 1)
    receiver.answer = answering(204)
    webhooks.replace([{ config: receiver.config('all', { url: `${receiver.url}/moved` }), filter: new EventFilter({}) }])
    await poll(() => heldBy(receiver.deliveries)).toEqual((await storedTrades()).slice(before))
    expect(receiver.deliveries[1]?.id).toBe(receiver.deliveries[0]?.id)
  })

  it('is neither sent nor forgotten by an index that is not served', async () => {
    await grow(3)
    let isServed = true
    const webhooks = start([[receiver.config('all')]], { isServed: async () => isServed })
    await begun('all')
    isServed = false
    await webhooks.stop()
    start([[receiver.config('all')]], { isServed: async () => isServed })
    await grow(5)
    expect(await stateOf('all')).toBeDefined()
    expect(receiver.deliveries).toEqual([])
    isServed = true
    await eventually(() => receiver.deliveries.length > 0)
  })
})
