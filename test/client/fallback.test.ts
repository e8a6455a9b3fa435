import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { ClientContext } from '#client/context.ts'
import { createTokenwire } from '#client/createTokenwire.ts'
import { Ending } from '#client/ending.ts'
import type { Carried } from '#client/feed/carried.ts'
import { createFallback } from '#client/feed/fallback.ts'
import type { GraduationsEvent, LaunchesEvent, TradesEvent } from '#client/generated/types.ts'
import { createLive } from '#client/live/createLive.ts'
import type { Live, LiveEvent } from '#client/live/liveTypes.ts'
import { createTimers } from '#client/timers.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { ChannelService } from './channelService.ts'
import { SimulatedClock } from './simulatedClock.ts'

let clock: SimulatedClock
let service: ChannelService
let client: Tokenwire
let live: Live

/** WebSockets and event streams are blocked, and a channel of events waits, which is not polled. */
beforeEach(() => {
  clock = new SimulatedClock()
  service = new ChannelService(clock, () => 0.5, 10_000)
  Object.assign(service.faults, { webSocket: 'refused', eventStreams: 'refused' })
  open()
})
afterEach(() => client.close())

function open(): void {
  const { fetch, WebSocket } = service
  client = createTokenwire({ url: 'http://service.test', clock, random: () => 0.5, fetch, WebSocket })
  live = createLive(client)
  live.launches({}, () => {})
}

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
  const fetch = () => new Promise<Response>(() => {})
  const context = { base: '', fetch, timers: createTimers(clock, new Ending()) } as unknown as ClientContext
  const fallback = createFallback(context, { onState: () => {}, onRefused: () => {} })
  const poller = {}
  fallback.polled(true, poller)
  const token: Pick<Carried, 'isChannel' | 'key' | 'streamPath'> = { isChannel: false, key: addressOf(1), streamPath: () => '' }
  fallback.serve(new Set([token as Carried]))
  expect(fallback.isWorking()).toBeNull()
  fallback.polled(true, poller)
  expect(fallback.isWorking()).toBe(true)
})

// Two tabs with four streams each left no connection of HTTP/1.1 for requests.
it('has one event stream, which the channels have in turns and the tokens when there is none', async () => {
  Object.assign(service.faults, { eventStreams: 'fine' })
  const seen = new Map<string, string[]>()
  const note = (channel: string) => (event: LiveEvent<TradesEvent | LaunchesEvent | GraduationsEvent>) => {
    if ('data' in event) seen.set(channel, [...(seen.get(channel) ?? []), event.cursor])
  }
  live.trades({}, note('trades'))
  live.launches({}, note('launches'))
  live.graduations({}, note('graduations'))
  await pass(30)
  for (let n = 0; n < 3; n++) {
    service.commit([1, 10], [2, 11])
    await pass(1)
    expect(service.openStreams).toBeLessThanOrEqual(1)
  }
  await pass(30)
  expect([...seen.values()].map(cursors => new Set(cursors).size)).toEqual([3, 3, 3])
  expect([...seen.values()].map(cursors => cursors.length)).toEqual([3, 3, 3])
  expect(client.state).toBe('fallback')
})

it('leaves the event stream to other tabs while the page is hidden', async () => {
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  vi.stubGlobal('document', page)
  onTestFinished(() => void vi.unstubAllGlobals())
  Object.assign(service.faults, { eventStreams: 'fine' })
  client.close()
  open()
  await pass(40)
  expect(service.openStreams).toBe(1)
  page.visibilityState = 'hidden'
  await pass(10)
  expect(service.openStreams).toBe(0)
  page.visibilityState = 'visible'
  page.dispatchEvent(new Event('visibilitychange'))
  await pass(3)
  expect(service.openStreams).toBe(1)
})

it('is in fallback as long as tokens are polled', async () => {
  const watch = client.watch(addressOf(1), () => {})
  await pass(60)
  expect(client.state).toBe('fallback')
  watch.close()
  await pass(1)
  expect(client.state).toBe('offline')
})
