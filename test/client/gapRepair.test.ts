import { describe, expect, it } from 'vitest'
import type { Carried } from '#client/feed/carried.ts'
import type { TradesEvent } from '#client/generated/types.ts'
import { type Gap, missedLaunches, missedTrades, type Repair, reportedGap } from '#client/live/gapRepair.ts'
import { LiveEvents } from '#client/live/liveEvents.ts'
import type { ListPage } from '#client/rest/calls.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { addressOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'

const trade = (block: number, logIndex: number): Trade => ({
  ...tradeOf(addressOf(1)),
  id: `${block}-${logIndex}`,
  blockNumber: String(block),
  logIndex,
})
const launched = (n: number, block: number, creator = addressOf(0xc)): Token =>
  tokenOf(addressOf(n), n, { createdBlock: String(block), creator })

/** A client whose lists are these pages, one after the other; the last one again and again. */
function clientOf<Row>(...pages: readonly Partial<ListPage<Row>>[]) {
  const asked: object[] = []
  const list = async (query: object) => {
    asked.push(query)
    return { ok: true, value: { nextCursor: null, asOfBlock: '1000', ...(pages[asked.length - 1] ?? pages.at(-1)) } }
  }
  return { asked, client: { marketTrades: list, tokens: list } as unknown as Tokenwire }
}

async function all<Event>(repair: Repair<Event>, gap: Partial<Gap>) {
  const events = []
  const { signal } = new AbortController()
  for await (const event of repair({ from: '1-5', to: '9-7', reorgs: 2, delivered: new Set(), signal, ...gap })) events.push(event)
  return events
}

describe('the repair of a gap', () => {
  it('reads trades page by page, and tells them block by block', async () => {
    const { asked, client } = clientOf(
      { data: [trade(2, 1), trade(2, 3), trade(3, 1)], nextCursor: 'more' },
      { data: [], nextCursor: 'still more' },
      { data: [trade(3, 4)] },
    )
    const events = await all(missedTrades(client, { launchpads: ['wow'], side: 'buy' }), {})
    expect(events).toMatchObject([
      { type: 'trades', block: '2', cursor: '2-3', reorgs: 2, data: [{ id: '2-1' }, { id: '2-3' }] },
      { type: 'trades', block: '3', cursor: '3-1' },
      { type: 'trades', block: '3', cursor: '3-4' },
    ])
    const query = { launchpad: ['wow'], side: 'buy', order: 'asc', limit: 500, toBlock: 9 }
    expect(asked).toEqual([
      { ...query, after: '1-5' },
      { ...query, cursor: 'more' },
      { ...query, cursor: 'still more' },
    ])
  })

  it('gives up after a hundred pages, and tells what is left', async () => {
    const { asked, client } = clientOf({ data: [trade(2, 1)], nextCursor: 'more' })
    const events = await all(missedTrades(client, {}), {})
    expect([asked.length, events.length]).toEqual([100, 101])
    expect(events.at(-1)).toEqual({ type: 'gap', from: '2-1', cursor: '9-7', reorgs: 2 })
    const launches = await all(missedLaunches(clientOf({ data: [launched(1, 8)], nextCursor: 'more' }).client, {}), {})
    expect(launches).toEqual([{ type: 'gap', from: '1-5', cursor: '9-7', reorgs: 2 }])
  })

  it('refuses what REST says while it is behind the channel', async () => {
    const { client } = clientOf({ data: [], asOfBlock: '8' })
    await expect(all(missedTrades(client, {}), {})).rejects.toThrow('REST has not reached block 9')
    await expect(all(missedLaunches(client, {}), {})).rejects.toThrow('REST has not reached block 9')
  })

  it('tells launches oldest first, without those of other creators and those that were delivered', async () => {
    const other = addressOf(0xd)
    const rows = [launched(7, 10), launched(6, 9), launched(5, 8, other), launched(4, 3), launched(3, 1), launched(2, 1), launched(1, 0)]
    const { asked, client } = clientOf({ data: rows })
    const filter = { creators: [addressOf(0xc).toUpperCase().replace('X', 'x'), addressOf(0xe)] }
    const events = await all(missedLaunches(client, filter), { delivered: new Set([addressOf(2)]) })
    expect(asked).toEqual([{ limit: 100 }])
    expect(events.map(event => [event.type, event.cursor, 'data' in event ? event.data.map(({ sequence }) => sequence) : null])).toEqual([
      ['launches', '1-9007199254740991', [3]],
      ['launches', '3-9007199254740991', [4]],
      ['launches', '9-7', [6]],
    ])
    // After the end of a block there is nothing more of it.
    const later = await all(missedLaunches(client, filter), { from: '1-9007199254740991' })
    expect(later.map(({ cursor }) => cursor)).toEqual(['3-9007199254740991', '9-7'])
  })
})

describe('the events of a channel', () => {
  function start(repair: Repair<TradesEvent> | null) {
    const told: string[] = []
    const failures: unknown[] = []
    const waits: (() => void)[] = []
    const pauses = new Set<() => void>()
    /** With which it subscribed. */
    const positions: unknown[] = []
    const whenSubscribed = { run: () => {} }
    const closing = new AbortController()
    let subscriber: Carried | null = null
    const extension = {
      pool: {
        carry(given: Carried) {
          subscriber = given
          const { after, reorgs } = given.subscription() as { after?: string; reorgs?: number }
          positions.push({ after, reorgs })
          whenSubscribed.run()
        },
        drop: () => void (subscriber = null),
        isLive: () => true,
      },
      nextKey: () => 'c1',
      timers: { now: () => 0, after: (_: number, run: () => void) => (waits.push(run), () => {}) },
      random: () => 0.5,
      dismissed: new Set<() => void>(),
      pauses,
      closed: closing.signal,
      startReading: () => expect.fail('asks nothing over REST'),
      follow: () => expect.fail('begins nothing else'),
      rest: () => Promise.reject(new Error('asks nothing over REST')),
      call: () => {},
      onError: (error: unknown) => failures.push(error),
    }
    const events = new LiveEvents<TradesEvent>(
      extension,
      { channel: 'trades', filters: {}, repair },
      { after: '1-1', reorgs: 0 },
      {
        next: event => told.push(`${event.type} ${event.cursor}`),
        failed: error => failures.push(error),
        end: error => told.push(`end ${error?.code}`),
      },
    )
    const say = (message: object) => subscriber !== null && events.receive({ reorgs: 0, ...message } as never)
    return { told, failures, waits, pauses, positions, whenSubscribed, closing, events, say, isSubscribed: () => subscriber !== null }
  }
  const subscribed = (cursor: string, reorgs = 0) => ({ type: 'subscribed', channel: 'trades', cursor, reorgs })
  const trades = (cursor: string) => ({ type: 'trades', cursor, block: cursor.split('-')[0], data: [] })

  it('count from a subscription that names the position, each once', () => {
    const { told, positions, say } = start(reportedGap)
    say(trades('2-1'))
    say(subscribed('9-9'))
    say(trades('10-1'))
    say(subscribed('1-1'))
    for (const message of [trades('2-1'), trades('2-1'), trades('1-9'), trades('2-4')]) say(message)
    for (const _ of [1, 2]) say({ type: 'reorg', fromBlock: '2', cursor: '1-9007199254740991', reorgs: 1 })
    say({ ...trades('2-1'), reorgs: 1 })
    expect(told).toEqual(['begin 1-1', 'trades 2-1', 'trades 2-4', 'reorg 1-9007199254740991', 'trades 2-1'])
    expect(positions).toEqual([1, 2].map(() => ({ after: '1-1', reorgs: 0 })))
  })

  it('tell what was missed as a gap in place of asking for it, where they are not to be repaired', () => {
    const { told, events, say } = start(null)
    say(subscribed('1-1'))
    say(trades('2-1'))
    expect(events.position()).toBeNull()
    say(subscribed('9-9'))
    say(trades('9-9'))
    say(trades('10-1'))
    say({ type: 'gap', from: '10-1', to: '12-1' })
    say(trades('12-4'))
    expect(told).toEqual(['begin 1-1', 'trades 2-1', 'gap 9-9', 'trades 10-1', 'gap 12-1', 'trades 12-4'])
    // After a reorg also what was told before may be void.
    say(subscribed('13-9', 1))
    expect(told.slice(6)).toEqual(['gap 13-9'])
  })

  it('continue at the position on a server that is behind, which may be of an index that was rebuilt', () => {
    const { told, positions, events, say } = start(null)
    say(subscribed('1-1'))
    say(trades('100-1'))
    say(subscribed('99-1'))
    say(trades('99-4'))
    say(subscribed('100-1'))
    for (const cursor of ['100-1', '100-4']) say(trades(cursor))
    expect(told).toEqual(['begin 1-1', 'trades 100-1', 'trades 100-4'])
    expect([positions.at(-1), events.position()]).toEqual([{ after: '100-1', reorgs: 0 }, null])
    say(subscribed('99-9', 1))
    say(subscribed('100-4'))
    say({ type: 'reorg', fromBlock: '100', cursor: '99-9007199254740991', reorgs: 1 })
    say({ ...trades('100-2'), reorgs: 1 })
    expect(told.slice(3)).toEqual(['reorg 99-9007199254740991', 'trades 100-2'])
    say(subscribed('5-0'))
    say(subscribed('100-2', 1))
    // As the service says it when it has not come to the position in time.
    say({ type: 'reorg', fromBlock: '0', cursor: '5-0' })
    say({ type: 'gap', from: '0-0', to: '5-0' })
    say(trades('6-1'))
    expect(told.slice(5)).toEqual(['reorg 5-0', 'gap 5-0', 'trades 6-1'])
  })

  it('leave no subscription when they are ended while they subscribe again', () => {
    const { events, whenSubscribed, isSubscribed } = start(reportedGap)
    events.pause()
    whenSubscribed.run = events.pause
    events.resume()
    expect(isSubscribed()).toBe(false)
  })

  it('do not subscribe again when the client is closed while a gap is read', async () => {
    const { positions, closing, say } = start(async function* () {
      yield* []
      closing.abort()
      return undefined
    })
    say(subscribed('1-1'))
    say({ type: 'gap', from: '1-1', to: '8-1' })
    await new Promise(setImmediate)
    expect(positions).toHaveLength(1)
  })

  it('ask at once for a gap that could not be read, when the network is back', async () => {
    const { failures, pauses, say, isSubscribed } = start(async function* () {
      yield* []
      throw new Error('later')
    })
    say(subscribed('1-1'))
    say({ type: 'gap', from: '1-1', to: '8-1' })
    await new Promise(setImmediate)
    expect([failures.length, pauses.size, isSubscribed()]).toEqual([1, 1, false])
    for (const hurry of pauses) hurry()
    expect([pauses.size, isSubscribed()]).toEqual([0, true])
  })

  it('continue at the end of a gap that REST shows to be empty', async () => {
    const { told, events, say } = start(missedTrades(clientOf<Trade>({ data: [] }).client, {}))
    say(subscribed('1-1'))
    say({ type: 'gap', from: '1-1', to: '8-1' })
    await new Promise(setImmediate)
    expect(events.position()).toEqual({ after: '8-1', reorgs: 0 })
    expect(told).toEqual(['begin 1-1'])
  })

  it('ask again for a gap that could not be read, and tell one that never can be', async () => {
    // What a proxy refuses may be answered later.
    const errors = [
      Object.assign(new Error('later'), { code: 'rejected', problem: null }),
      Object.assign(new Error('never'), { code: 'rejected', problem: { code: 'invalid_parameter' } }),
    ]
    const { told, failures, waits, say, isSubscribed } = start(async function* ({ from, to, reorgs }) {
      const error = errors.shift()
      if (error !== undefined) throw error
      yield { type: 'gap', from, cursor: to, reorgs }
      return undefined
    })
    const gap = { type: 'gap', from: '1-1', to: '8-1' }
    say(subscribed('1-1'))
    say(gap)
    await new Promise(setImmediate)
    expect([told, failures.length, isSubscribed()]).toEqual([['begin 1-1'], 1, false])
    for (const run of waits) run()
    say(subscribed('1-1'))
    say(gap)
    await new Promise(setImmediate)
    expect([told, isSubscribed()]).toEqual([['begin 1-1', 'gap 8-1'], true])
    say(subscribed('8-1'))
    say(trades('9-1'))
    expect(told.at(-1)).toBe('trades 9-1')
  })
})
