import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ClientContext } from '#client/context.ts'
import { createTokenwire } from '#client/createTokenwire.ts'
import type { Carried } from '#client/feed/carried.ts'
import { createFallback } from '#client/feed/fallback.ts'
import { createLive } from '#client/live/createLive.ts'
import type { Live } from '#client/live/liveTypes.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { ChannelService } from './channelService.ts'
import { SimulatedClock } from './simulatedClock.ts'

let clock: SimulatedClock
let client: Tokenwire
let live: Live

/** WebSockets and event streams are blocked, and a channel of events waits, which is not polled. */
beforeEach(() => {
  clock = new SimulatedClock()
  const service = new ChannelService(clock, () => 0.5, 10_000)
  Object.assign(service.faults, { webSocket: 'refused', eventStreams: 'refused' })
  const { fetch, WebSocket } = service
  client = createTokenwire({ url: 'http://service.test', clock, random: () => 0.5, fetch, WebSocket, maxEventStreams: 1 })
  live = createLive(client)
  live.launches({}, () => {})
})
afterEach(() => client.close())

const pass = (seconds: number) => clock.advance(seconds * 1_000)

it('is offline while nothing but a channel of events waits', async () => {
  await pass(60)
  expect(client.state).toBe('offline')
})

// The newest poll counted, also of what polls no more: the state stayed `fallback` though nothing arrived.
it('is in fallback as long as a state of a channel is polled', async () => {
  const first = live.list({ limit: 5 }, () => {})
  const second = live.candles({ token: addressOf(1) }, () => {})
  await pass(60)
  expect(client.state).toBe('fallback')
  first.close()
  await pass(60)
  expect(client.state).toBe('fallback')
  second.close()
  expect(client.state).toBe('offline')
  await pass(60)
  expect(client.state).toBe('offline')
})

// It says nothing of what works once the WebSocket is blocked.
it('does not count a poll from before connections were blocked', () => {
  const context = { maxEventStreams: 0 } as ClientContext
  const fallback = createFallback(context, { onState: () => {}, onRefused: () => {} })
  const poller = {}
  fallback.polled(true, poller)
  const token: Pick<Carried, 'isChannel' | 'key'> = { isChannel: false, key: addressOf(1) }
  fallback.serve(new Set([token as Carried]))
  expect(fallback.isWorking()).toBeNull()
  fallback.polled(true, poller)
  expect(fallback.isWorking()).toBe(true)
})

it('is in fallback as long as tokens are polled', async () => {
  const watch = client.watch(addressOf(1), () => {})
  await pass(60)
  expect(client.state).toBe('fallback')
  watch.close()
  await pass(1)
  expect(client.state).toBe('offline')
})
