import { sql } from 'kysely'
import { pino } from 'pino'
import { beforeEach, describe, expect, it } from 'vitest'
import { EventChannel } from '#actors/events/eventChannel.ts'
import { EventFilter } from '#actors/events/eventFilter.ts'
import type { EventSubscriber } from '#actors/events/eventMessages.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { FIRST_PLACE, formatPlace } from '#domain/eventPlace.ts'
import { EVENT_CHANNELS } from '#protocol/channels.ts'
import { type EventChannelName, MAX_REPLAYED } from '#resources/channelEvent.ts'
import { readChannelEvents } from '#store/reads/channelEvents.ts'
import { rewind } from '#store/rewind.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { measuredPlansOf } from '#test/support/explain.ts'
import { createForkingChain, type ForkingChain } from '#test/support/forkingChain.ts'
import { addressOf, chainStateRow, insertRows, tokenRow, tradeRow } from '#test/support/rows.ts'
import { commitBlocks, type OpenedIndex, openIndex, replaceWith, wholeBlock } from '#test/support/simulatedIndex.ts'

const database = await useDatabase()
let forking: ForkingChain
let index: OpenedIndex

beforeEach(async () => {
  await database.clear()
  forking = createForkingChain(createRandom(7), 64)
  index = await openIndex(database, { genesisHash: forking.chain.at(0).header.hash, maxReorgDepth: 64 })
})

async function follow(from: number): Promise<void> {
  for (let number = from; number <= forking.chain.head().header.number; number++) await commitBlocks(index, forking.chain.at(number))
}

/** Replaces the newest blocks by others. */
async function fork(depth: number, grown: number): Promise<void> {
  const { dropped } = forking.fork(depth, grown)
  const [first] = dropped
  if (first === undefined) return
  const ancestor = first.header.number - 1
  const numbers = Array.from({ length: forking.chain.head().header.number - ancestor }, (_, above) => ancestor + 1 + above)
  await replaceWith(index, {
    ancestor: forking.chain.at(ancestor).header,
    batches: numbers.map(number => wholeBlock(forking.chain.at(number))),
  })
}

const query = { channel: 'trades', after: { place: FIRST_PLACE, reorgs: 0 }, through: null, limit: 1_000 } as const

describe('the events of a channel', () => {
  it('are those of the chain, also after reorgs and a rewind, with how many there were', async () => {
    forking.mine(80)
    await follow(1)
    await fork(6, 2)
    await fork(3, 1)
    for (const channel of EVENT_CHANNELS) {
      const read = await readChannelEvents(database.kysely, { ...query, channel, after: { place: FIRST_PLACE, reorgs: 2 } }, 1)
      expect(read.events.map(({ place, token }) => `${formatPlace(place)} ${token}`)).toEqual(await stored(channel))
      expect(read).toMatchObject({ reorgs: 2, voidFrom: null, isTooFar: false })
      expect(read.events.length).toBeGreaterThan(channel === 'graduations' ? 0 : 5)
    }
    const { rows } = await sql<{ launched: number; launches: number; graduated: number; graduations: number }>`
      select (select count(*)::integer from token) as launched, (select count(*)::integer from milestone where kind = 'launch') as launches,
        (select count(*)::integer from token where graduation_status = 'migrated') as graduated,
        (select count(*)::integer from milestone where status = 'migrated') as graduations`.execute(database.kysely)
    expect(rows[0]?.launches).toBe(rows[0]?.launched)
    expect(rows[0]?.graduations).toBe(rows[0]?.graduated)
    const head = forking.chain.head().header.number
    await rewind(database.url, head - 1, silentLogger)
    const last = { place: { blockNumber: head + 5, logIndex: 0 }, reorgs: 2 }
    const read = await readChannelEvents(database.kysely, { ...query, after: last }, 1)
    expect(read).toMatchObject({ reorgs: 3, voidFrom: head - 1, events: [] })
    await rewind(database.url, 'start', silentLogger)
    expect(await readChannelEvents(database.kysely, { ...query, after: last }, 1)).toMatchObject({
      reorgs: 4,
      voidFrom: 0,
      newest: FIRST_PLACE,
    })
  })

  it('begin with the first void block for a reader from before a reorg', async () => {
    forking.mine(30)
    await follow(1)
    const head = forking.chain.head().header.number
    await fork(4, 1)
    const all = await stored('trades')
    const read = await readChannelEvents(database.kysely, { ...query, after: { place: { blockNumber: head, logIndex: 99 }, reorgs: 0 } }, 1)
    expect(read.voidFrom).toBe(head - 3)
    const expected = all.filter(line => Number(line.split('-')[0]) >= head - 3)
    expect(read.events.map(({ place, token }) => `${formatPlace(place)} ${token}`)).toEqual(expected)
    const before = { place: { blockNumber: head - 4, logIndex: 5 }, reorgs: 0 }
    const through = { blockNumber: head - 2, logIndex: 1_000 }
    const some = await readChannelEvents(database.kysely, { ...query, after: before, through, limit: 3 }, 1)
    const within = all.filter(line => {
      const [block = 0, log = 0] = line.split(' ')[0]?.split('-').map(Number) ?? []
      return (block > head - 4 || (block === head - 4 && log > 5)) && block <= head - 2
    })
    expect(some.events.map(({ place, token }) => `${formatPlace(place)} ${token}`)).toEqual(within.slice(0, 3))
  })

  it('reach a subscriber once each, while blocks come and go', async () => {
    const random = createRandom(11)
    const held = new Map<string, number>()
    const subscriber: EventSubscriber = {
      isDrained: true,
      subscribed: () => undefined,
      deliver: ({ data }) => {
        for (const { id, blockNumber } of JSON.parse(data) as readonly { readonly id: string; readonly blockNumber: string }[]) {
          expect(held.has(id)).toBe(false)
          held.set(id, Number(blockNumber))
        }
        return true
      },
      reorg: fromBlock => {
        for (const [id, block] of held) if (block >= fromBlock) held.delete(id)
      },
      gap: () => held.clear(),
    }
    const channel = new EventChannel({
      channel: 'trades',
      read: asked => readChannelEvents(database.kysely, asked, 1),
      ethUsd: () => null,
      logger: pino({ level: 'silent' }),
      now: () => 0,
      pages: { following: 5, behind: 2 },
    })
    channel.subscribe(subscriber, new EventFilter({}), { place: FIRST_PLACE, reorgs: 0 })
    for (let round = 0; round < 25; round++) {
      const head = forking.chain.head().header.number
      if (random.chance(0.3) && head > 6) await fork(random.integer(1, 4), 1)
      else {
        forking.mine(random.integer(1, 3))
        await follow(head + 1)
      }
      channel.changed()
    }
    const expected = new Set((await stored('trades')).map(line => line.split(' ')[0]))
    await expect.poll(() => new Set(held.keys())).toEqual(expected)
    await channel.stop()
  })

  it('are not read where there are more than are replayed', async () => {
    await database.clear()
    await insertRows(database.kysely, 'chain_state', [chainStateRow({ cursor_number: 20_000 })])
    await insertRows(database.kysely, 'token', [tokenRow(1)])
    const trades = Array.from({ length: MAX_REPLAYED + 1 }, (_, n) => tradeRow(addressOf(1), n + 1, 0))
    await insertRows(database.kysely, 'trade', trades)
    expect(await readChannelEvents(database.kysely, query, 1)).toMatchObject({
      isTooFar: true,
      events: [],
      newest: { blockNumber: 20_000 },
    })
    const later = { place: { blockNumber: 1, logIndex: 0 }, reorgs: 0 }
    const read = await readChannelEvents(database.kysely, { ...query, after: later, limit: 10 }, 1)
    expect(read).toMatchObject({ isTooFar: false, events: { length: 10 } })
    const whole = await readChannelEvents(database.kysely, { ...query, limit: 10, isComplete: true }, 1)
    expect(whole).toMatchObject({ isTooFar: false, events: { length: 10 } })
  })

  it('are found by an index, whatever has happened before', async () => {
    await database.clear()
    const [blocks, late] = [4_000, { place: { blockNumber: 3_995, logIndex: 0 }, reorgs: 0 }]
    await insertRows(database.kysely, 'chain_state', [chainStateRow({ cursor_number: blocks })])
    const numbers = Array.from({ length: blocks }, (_, n) => n + 1)
    await insertRows(
      database.kysely,
      'token',
      numbers.map(n => tokenRow(n)),
    )
    await insertRows(
      database.kysely,
      'trade',
      numbers.map(n => tradeRow(addressOf(n), n, 0)),
    )
    const milestone = (n: number) => ({
      kind: n % 9 === 0 ? 'graduation' : 'launch',
      block_number: n,
      log_index: 1,
      token: addressOf(n),
      status: null,
    })
    await insertRows(database.kysely, 'milestone', numbers.map(milestone))
    const change = (n: number) => ({ block_number: n, log_index: 1, token: addressOf(n), timestamp: n, holders: n })
    await insertRows(database.kysely, 'value_change', numbers.map(change))
    await sql`analyze`.execute(database.kysely)
    for (const channel of EVENT_CHANNELS) {
      const plans = await measuredPlansOf(database.kysely, db => readChannelEvents(db, { ...query, channel, after: late }, 1))
      const most = plans.flat().map(node => node['Actual Rows'] * node['Actual Loops'] + (node['Rows Removed by Filter'] ?? 0))
      expect([channel, Math.max(...most)]).toEqual([channel, expect.toSatisfy((rows: number) => rows <= 20)])
    }
  })
})

/** The places and tokens of a channel's events, as the tables say. */
async function stored(channel: EventChannelName): Promise<readonly string[]> {
  const from = {
    trades: sql`trade`,
    launches: sql`milestone where kind = 'launch'`,
    graduations: sql`milestone where kind = 'graduation'`,
    crossings: sql`value_change`,
  }[channel]
  const { rows } = await sql<{ line: string }>`
    select block_number || '-' || log_index || ' 0x' || encode(token, 'hex') as line from ${from} order by block_number, log_index`.execute(
    database.kysely,
  )
  return rows.map(({ line }) => line)
}
