import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createStateActors, type WatchedState } from '#actors/stateActors.ts'
import { settle } from '#test/support/actors.ts'

interface State extends WatchedState<State> {
  readonly sequence: 1
}
const STATE: State = {
  sequence: 1,
  kind: '',
  fields: '',
  rest: null,
  get whole() {
    return STATE
  },
  replacing: () => STATE,
}
const subscriber = { client: 'a', state: () => undefined }

/** Actors whose reads the test answers. */
function opened() {
  const reads: { readonly query: string; readonly answer: PromiseWithResolvers<State> }[] = []
  const read = (query: string) => {
    const answer = Promise.withResolvers<State>()
    reads.push({ query, answer })
    return answer.promise
  }
  const actors = createStateActors<string, State>({ read, logger: pino({ enabled: false }), failure: '' })
  for (const query of ['one', 'two', 'three']) actors.subscribe(query, subscriber)
  return { actors, reads, asked: () => reads.map(({ query }) => query) }
}

test('a sweep reads again what has failed, and nothing else', async () => {
  const { actors, reads, asked } = opened()
  reads[0]?.answer.resolve(STATE)
  reads[1]?.answer.reject(new Error('no connection'))
  await settle()
  reads[2]?.answer.resolve(STATE)
  await settle()
  actors.sweep()
  expect(asked()).toEqual(['one', 'two', 'three', 'two'])
})

test('a stop waits for the reads that run, and begins no other', async () => {
  const { actors, reads, asked } = opened()
  let hasStopped = false
  const stopped = actors.stop().then(() => (hasStopped = true))
  await settle()
  expect(hasStopped).toBe(false)
  for (const { answer } of reads) answer.resolve(STATE)
  await stopped
  expect(asked()).toEqual(['one', 'two'])
})

// Each commit had all lists read again: 1,000 of them kept both connections busy without a pause.
test('a thousand queries that every commit changes take half of the time of one connection, each in its turn', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const now = () => performance.now()
  const readAtMs = new Map<string, number[]>()
  let spentMs = 0
  const read = async (query: string) => {
    readAtMs.set(query, [...(readAtMs.get(query) ?? []), now()])
    await new Promise(resolve => setTimeout(resolve, 5))
    spentMs += 5
    return STATE
  }
  const pace = { share: 0.5, burstMs: 1_000, now }
  const actors = createStateActors<string, State>({ read, logger: pino({ enabled: false }), failure: '', pace })
  const queries = Array.from({ length: 999 }, (_, n) => `query ${n}`)
  for (const [n, query] of queries.entries()) actors.subscribe(query, { client: `client ${n}`, state: () => undefined })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(readAtMs.size).toBe(999)
  const [spentBefore, startedAtMs] = [spentMs, now()]
  for (let block = 0; block < 30; block++) {
    actors.outdate(() => true)
    await vi.advanceTimersByTimeAsync(2_000)
  }
  expect(spentMs - spentBefore).toBeLessThan(0.5 * 60_000 + 1_100)
  expect(spentMs - spentBefore).toBeGreaterThan(0.45 * 60_000)
  for (const times of readAtMs.values()) {
    const since = times.filter(time => time >= startedAtMs)
    expect(Math.max(...since.map((time, n) => time - (since[n - 1] ?? startedAtMs)))).toBeLessThan(12_500)
  }
  actors.subscribe('new', { client: 'new', state: () => undefined })
  await vi.advanceTimersByTimeAsync(10)
  expect(readAtMs.get('new')).toHaveLength(1)
  await actors.stop()
})
