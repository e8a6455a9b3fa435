import { describe, expect, it } from 'vitest'
import type { ChannelSubscriber } from '#client/channelLink.ts'
import type { TradesEvent } from '#client/channelMessages.ts'
import { type Gap, missedLaunches, missedTrades, type Repair, unknownGap } from '#client/gapRepair.ts'
import { LiveEvents } from '#client/liveEvents.ts'
import type { ListPage, Tokenwire } from '#client/tokenwire.ts'
import type { Token } from '#domain/token.ts'
import type { Trade } from '#domain/trade.ts'
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
      ['launches', '1-2147483647', [3]],
      ['launches', '3-2147483647', [4]],
      ['launches', '9-7', [6]],
    ])
    // After the end of a block there is nothing more of it.
    const later = await all(missedLaunches(client, filter), { from: '1-2147483647' })
    expect(later.map(({ cursor }) => cursor)).toEqual(['3-2147483647', '9-7'])
  })
})

describe('the events of a channel', () => {
  function start(repair: Repair<TradesEvent>) {
    const told: string[] = []
    const failures: unknown[] = []
    const waits: (() => void)[] = []
    let subscriber: ChannelSubscriber | null = null
    const extension = {
      subscribe(given: ChannelSubscriber) {
        subscriber = given
        return { restart: () => told.push('restart'), close: () => (subscriber = null) }
      },
      after: (_: number, run: () => void) => (waits.push(run), () => {}),
      closed: new AbortController().signal,
      call: () => {},
      onError: (error: unknown) => failures.push(error),
    }
    const events = new LiveEvents<TradesEvent>(
      extension,
      { channel: 'trades', filters: {}, repair },
      { after: '1-1', reorgs: 0 },
      { next: event => told.push(`${event.type} ${event.cursor}`), end: error => told.push(`end ${error?.code}`) },
    )
    const say = (message: object) => subscriber?.receive({ id: 'c1', reorgs: 0, ...message } as never)
    return { told, failures, waits, events, say, isSubscribed: () => subscriber !== null }
  }
  const subscribed = (cursor: string, reorgs = 0) => ({ type: 'subscribed', channel: 'trades', cursor, reorgs })
  const trades = (cursor: string) => ({ type: 'trades', cursor, block: cursor.split('-')[0], data: [] })

  it('count from a subscription that names the position, each once', () => {
    const { told, say } = start(unknownGap)
    say(trades('2-1'))
    say(subscribed('9-9'))
    say(trades('10-1'))
    say(subscribed('1-1'))
    for (const message of [trades('2-1'), trades('2-1'), trades('1-9'), trades('2-4')]) say(message)
    for (const _ of [1, 2]) say({ type: 'reorg', fromBlock: '2', cursor: '1-2147483647', reorgs: 1 })
    say({ ...trades('2-1'), reorgs: 1 })
    expect(told).toEqual(['restart', 'begin 1-1', 'trades 2-1', 'trades 2-4', 'reorg 1-2147483647', 'trades 2-1'])
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
    const errors = [Object.assign(new Error('later'), { code: 'network' }), Object.assign(new Error('never'), { code: 'rejected' })]
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
