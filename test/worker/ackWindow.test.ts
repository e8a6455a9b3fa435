import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createHandOver } from '#worker/ackWindow.ts'

/** A transaction that nothing but the hand-over holds up, and how many commits have begun. */
function fixture(mostAhead: number) {
  const handOver = createHandOver(mostAhead)
  let begun = 0
  const transaction = handOver.paced(async work => work({} as never))
  const commit = () => transaction(async () => void begun++)
  return { handOver, commit, begun: () => begun }
}

it('lets commits begin until so many messages are sent and not taken', async () => {
  const { handOver, commit, begun } = fixture(2)
  for (let n = 0; n < 2; n++) {
    await commit()
    handOver.sent()
  }
  const waiting = commit()
  await turn()
  expect(begun()).toBe(2)
  handOver.taken()
  await waiting
  expect(begun()).toBe(3)
})

it('lets everybody who waits on, also when messages are taken one after another', async () => {
  const { handOver, commit, begun } = fixture(1)
  handOver.sent()
  handOver.sent()
  const waiting = [commit(), commit(), commit()]
  handOver.taken()
  await turn()
  expect(begun()).toBe(0)
  handOver.taken()
  await Promise.all(waiting)
  expect(begun()).toBe(3)
})

it('is idle once everything is taken', () => {
  const { handOver } = fixture(2)
  expect(handOver.isIdle()).toBe(true)
  handOver.sent()
  expect(handOver.isIdle()).toBe(false)
  handOver.taken()
  expect(handOver.isIdle()).toBe(true)
})
