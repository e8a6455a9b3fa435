import { expect, it, onTestFinished, vi } from 'vitest'
import { openEventStream } from '#client/feed/eventStream.ts'
import type { ReadMessage } from '#client/feed/messages.ts'
import { retryAfterMs } from '#client/rest/rest.ts'
import { createTimers } from '#client/timers.ts'
import { updateBytes } from '#test/support/frames.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'
import { SimulatedClock } from './simulatedClock.ts'

const UPDATE = new TextDecoder().decode(updateBytes(snapshotOf(addressOf(1), 3)))

function start(fetch: typeof globalThis.fetch) {
  const clock = new SimulatedClock()
  const timers = createTimers(clock, new AbortController().signal)
  const messages: ReadMessage[] = []
  const ends: (Response | null)[] = []
  let opened = 0
  const close = openEventStream(
    'http://service.test/stream',
    { fetch, timers },
    { onOpen: () => opened++, onMessage: message => messages.push(message), onEnd: refusal => ends.push(refusal) },
  )
  return { clock, messages, ends, close, opened: () => opened }
}

/** A response whose body the test writes. It hears of no abort, as Expo's. */
function openResponse() {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    start(own) {
      controller = own
    },
    cancel() {
      isCancelled = true
      controller = null
    },
  })
  return {
    isCancelled: () => isCancelled,
    response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    write: (text: string) => controller?.enqueue(new TextEncoder().encode(text)),
  }
}

it('ends a stream that is silent for longer than the server ever is', async () => {
  const { response, write } = openResponse()
  const { clock, messages, ends, opened } = start(async () => response)
  await clock.advance(1)
  expect(opened()).toBe(1)
  for (let n = 0; n < 10; n++) {
    write(':\n\n')
    await clock.advance(15_000)
  }
  write(`event: token.update\ndata: ${UPDATE}\n\n`)
  await clock.advance(39_999)
  expect({ ends, messages }).toMatchObject({ ends: [], messages: [{ sequence: 3 }] })
  await clock.advance(1)
  expect(ends).toEqual([null])
  expect(clock.waiting).toBe(0)
})

// A polyfill gives React Native bodies that are read in parts, and Hermes has no decoder: the stream was open, and ended, for ever.
it('is not open where the platform has no decoder for it', async () => {
  const { response } = openResponse()
  vi.stubGlobal('TextDecoder', undefined)
  onTestFinished(() => void vi.unstubAllGlobals())
  const { clock, ends, opened } = start(async () => response)
  await clock.advance(1)
  expect([opened(), ends]).toEqual([0, [null]])
})

// Without the end of the body the server went on to send, and each stream that was closed kept its connection.
it('ends the body where an abort does not, also of a response that comes after its end', async () => {
  const [open, late] = [openResponse(), openResponse()]
  const answer = Promise.withResolvers<Response>()
  const streams = [start(async () => open.response), start(() => answer.promise)]
  await streams[0]?.clock.advance(1)
  for (const { close } of streams) close()
  answer.resolve(late.response)
  await streams[1]?.clock.advance(1)
  expect([open.isCancelled(), late.isCancelled()]).toEqual([true, true])
  expect(streams.map(({ ends, opened }) => [ends, opened()])).toEqual([
    [[], 1],
    [[], 0],
  ])
})

it('delivers nothing after it was closed', async () => {
  const { response, write } = openResponse()
  const { clock, messages, ends, close } = start(async () => response)
  await clock.advance(1)
  close()
  write(`event: token.update\ndata: ${UPDATE}\n\n`)
  await clock.advance(100_000)
  expect({ messages, ends, timers: clock.waiting }).toEqual({ messages: [], ends: [], timers: 0 })
})

it('hands over a response that is not a stream, and nothing when there is none', async () => {
  const limited = start(async () => new Response('{}', { status: 429, headers: { 'retry-after': '7' } }))
  const unreachable = start(async () => Promise.reject(new TypeError('fetch failed')))
  const loginPage = start(async () => new Response('<h1>Log in</h1>', { headers: { 'content-type': 'text/html' } }))
  for (const { clock } of [limited, unreachable, loginPage]) await clock.advance(0)
  expect(limited.ends.map(refusal => refusal && [refusal.status, retryAfterMs(refusal.headers)])).toEqual([[429, 7_000]])
  for (const { ends } of [unreachable, loginPage]) expect(ends).toEqual([null])
  expect(loginPage.opened()).toBe(0)
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
