import { expect, it } from 'vitest'
import type { Carried } from '#client/feed/carried.ts'
import { startLatestTrades } from '#client/live/liveStates.ts'
import { type ReadingOptions, startReading } from '#client/reading.ts'
import { createTimers } from '#client/timers.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { Trade } from '#resources/trades.ts'
import { addressOf, tradeOf } from '#test/support/snapshots.ts'
import { SimulatedClock } from './simulatedClock.ts'

const trade = (block: number, logIndex = 1): Trade => ({
  ...tradeOf(addressOf(1)),
  id: `${block}-${logIndex}`,
  blockNumber: String(block),
  logIndex,
})

/** The fields of all messages of the channel. */
const COMPLETE = { id: 'c1', reorgs: 0, channel: 'trades', cursor: '0-0', block: '0', fromBlock: '0', from: '0-0', to: '0-0' }

it('are read once while their own connection brings them, whatever the others do', async () => {
  const fixture = new Fixture()
  fixture.rest = [trade(3)]
  fixture.head = 3
  fixture.start()
  await fixture.clock.advance(1_000)
  fixture.trades(trade(4))
  await fixture.clock.advance(60_000)
  expect(fixture.requests).toBe(1)
  expect(fixture.states).toEqual([['3-1'], ['4-1', '3-1']])
})

it('are read at most once a second under steady gaps, and told after each read', async () => {
  const fixture = new Fixture()
  fixture.start()
  for (let n = 0; n < 600; n++) {
    await fixture.clock.advance(100)
    const from = `${fixture.head}-1`
    fixture.head++
    fixture.rest = [trade(fixture.head)]
    fixture.say({ type: 'gap', from, to: `${fixture.head}-1` })
  }
  expect(fixture.requests).toBeLessThanOrEqual(60)
  expect(fixture.states.length).toBeGreaterThanOrEqual(fixture.requests - 1)
  expect(fixture.requests).toBeGreaterThan(40)
})

it('keep what the channel has brought, and drop what it made void, where an answer is older', async () => {
  const fixture = new Fixture()
  fixture.head = 9
  fixture.rest = [trade(9), trade(8), trade(7)]
  fixture.start()
  fixture.trades(trade(10))
  fixture.say({ type: 'reorg', fromBlock: '9', cursor: '8-9007199254740991', reorgs: 1 })
  fixture.say({ type: 'trades', cursor: '9-2', block: '9', reorgs: 1, data: [trade(9, 2)] })
  await fixture.clock.advance(200)
  expect(fixture.states).toEqual([['9-2', '8-1', '7-1']])
  // Reorgs make them shorter at once.
  fixture.say({ type: 'reorg', fromBlock: '8', cursor: '7-9007199254740991', reorgs: 2 })
  expect(fixture.states.at(-1)).toEqual(['7-1'])
})

it('are read again when REST was behind the channel', async () => {
  const fixture = new Fixture()
  fixture.head = 9
  fixture.start()
  fixture.say({ type: 'gap', from: '9-1', to: '12-1' })
  await fixture.clock.advance(1_200)
  expect([fixture.requests, fixture.failures.length]).toEqual([2, 1])
  fixture.head = 12
  fixture.rest = [trade(12)]
  await fixture.clock.advance(20_000)
  expect(fixture.states.at(-1)).toEqual(['12-1'])
  expect(fixture.failures.length).toBeLessThanOrEqual(2)
})

/** A connection that is open, over a client that has another one which is not, and REST that takes 150 ms. */
class Fixture {
  readonly clock = new SimulatedClock()
  readonly states: string[][] = []
  readonly failures: unknown[] = []
  head = 0
  rest: readonly Trade[] = []
  requests = 0
  #subscriber: Carried | null = null

  start(): void {
    const timers = createTimers(this.clock, new AbortController().signal)
    const context = { timers, random: () => 0.5, closed: new AbortController().signal, pauses: new Set<() => void>() }
    const extension = {
      ...context,
      startReading: (options: ReadingOptions) => startReading(context, () => {}, options),
      pool: { carry: (carried: Carried) => void (this.#subscriber = carried), drop: () => {}, isLive: () => true },
      nextKey: () => 'c1',
    }
    const marketTrades = async () => {
      this.requests++
      const value = { data: this.rest, nextCursor: null, asOfBlock: String(this.head) }
      await new Promise<void>(resolve => timers.after(150, resolve))
      return { ok: true, value }
    }
    const client = { extension, marketTrades, state: 'connecting' } as unknown as Tokenwire
    startLatestTrades(
      client,
      { limit: 5 },
      {
        next: trades => this.states.push(trades.map(({ id }) => id)),
        failed: error => this.failures.push(error),
        end: () => {},
      },
    )
    this.say({ type: 'subscribed', cursor: `${this.head}-1`, reorgs: 0 })
  }

  say(message: object): void {
    this.#subscriber?.receive({ type: 'channel', key: 'c1', fields: { ...COMPLETE, ...message } }, 'webSocket')
  }

  trades(...trades: readonly [Trade, ...Trade[]]): void {
    const [{ id, blockNumber }] = trades
    this.say({ type: 'trades', cursor: id, block: blockNumber, data: trades })
  }
}
