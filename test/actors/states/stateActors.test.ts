import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createStateActors } from '#actors/states/stateActors.ts'
import type { WatchedState } from '#actors/states/watchedState.ts'
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
