import { expect, it } from 'vitest'
import { retryAfterMs } from '#client/answer.ts'
import { Timers } from '#client/clock.ts'
import { type EventStreamEnd, openEventStream } from '#client/eventStream.ts'
import type { ReadMessage } from '#client/messages.ts'
import { encodeUpdate } from '#protocol/encodeUpdate.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'
import { SimulatedClock } from './simulatedClock.ts'

const TEXT = new TextDecoder().decode(encodeUpdate(snapshotOf(addressOf(1), 3)).bytes)

function start(fetch: typeof globalThis.fetch, EventSource?: typeof FakeEventSource) {
  const clock = new SimulatedClock()
  const messages: ReadMessage[] = []
  const ends: EventStreamEnd[] = []
  let opened = 0
  const close = openEventStream({
    url: 'http://service.test/stream',
    fetch,
    EventSource,
    timers: new Timers(clock),
    onOpen: () => opened++,
    onMessage: message => messages.push(message),
    onEnd: end => ends.push(end),
  })
  return { clock, messages, ends, close, opened: () => opened }
}

it('takes a stream that is silent for longer than the server ever is for dead', async () => {
  const chunks = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>()
  const body = new ReadableStream<Uint8Array>({ start: controller => chunks.resolve(controller) })
  const { clock, messages, ends, opened } = start(async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  const controller = await chunks.promise
  await clock.advance(1)
  expect(opened()).toBe(1)
  for (let n = 0; n < 10; n++) {
    controller.enqueue(new TextEncoder().encode(':\n\n'))
    await clock.advance(15_000)
  }
  controller.enqueue(new TextEncoder().encode(`event: token.update\ndata: ${TEXT}\n\n`))
  await clock.advance(39_999)
  expect({ ends, messages }).toMatchObject({ ends: [], messages: [{ sequence: 3 }] })
  await clock.advance(1)
  expect(ends).toEqual([{ status: null, retryAfterMs: null }])
  expect(clock.waiting).toBe(0)
})

it('tells why there is no stream', async () => {
  const limited = start(async () => new Response('{}', { status: 429, headers: { 'retry-after': '7' } }))
  const away = start(async () => Promise.reject(new TypeError('fetch failed')))
  const page = start(async () => new Response('<h1>Log in</h1>', { headers: { 'content-type': 'text/html' } }))
  for (const { clock } of [limited, away, page]) await clock.advance(0)
  expect(limited.ends).toEqual([{ status: 429, retryAfterMs: 7_000 }])
  for (const { ends } of [away, page]) expect(ends).toEqual([{ status: null, retryAfterMs: null }])
  expect(page.opened()).toBe(0)
})

class FakeEventSource {
  static readonly all: FakeEventSource[] = []
  readyState = 0
  onopen: ((event: never) => void) | null = null
  onerror: ((event: never) => void) | null = null
  isClosed = false
  readonly listeners = new Map<string, (event: never) => void>()
  readonly url: string

  constructor(url: string) {
    this.url = url
    FakeEventSource.all.push(this)
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.listeners.set(type, listener)
  }

  close(): void {
    this.isClosed = true
  }
}

it('uses an EventSource that it is given, and not its way of coming back', async () => {
  const { clock, messages, ends, opened } = start(async () => Promise.reject(new TypeError('not to be asked')), FakeEventSource)
  const source = FakeEventSource.all.pop()
  expect(source?.url).toBe('http://service.test/stream')
  source?.onopen?.({} as never)
  source?.listeners.get('token.update')?.({ data: TEXT } as never)
  expect({ opened: opened(), messages }).toMatchObject({ opened: 1, messages: [{ type: 'token.update', sequence: 3 }] })
  await clock.advance(600_000)
  expect(ends).toEqual([])
  source?.onerror?.({} as never)
  expect(ends).toEqual([{ status: null, retryAfterMs: null }])
  expect(source?.isClosed).toBe(true)
  source?.listeners.get('token.update')?.({ data: TEXT } as never)
  expect(messages).toHaveLength(1)

  const silent = start(async () => Promise.reject(new TypeError('not to be asked')), FakeEventSource)
  await silent.clock.advance(40_000)
  expect(silent.ends).toHaveLength(1)
  silent.close()
  expect(silent.clock.waiting).toBe(0)
})

it.each<[Record<string, string>, number | null]>([
  [{}, null],
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '999999999' }, 3_600_000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
])('waits at most an hour: %j', (headers, expected) => {
  expect(retryAfterMs(new Headers(headers))).toBe(expected)
})
