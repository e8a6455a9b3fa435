import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createAckWindow } from '#worker/blockSender.ts'

/** a transaction that only the window delays, and how many commits have started. */
function fixture(maxAhead: number) {
  const window = createAckWindow(maxAhead)
  let begun = 0
  const transaction = window.delayed(async work => work({} as never) as never)
  const commit = () => transaction(async () => void begun++)
  return { window, commit, begun: () => begun }
}

it('lets commits start until the window is full of unacknowledged messages', async () => {
  const { window, commit, begun } = fixture(2)
  for (let n = 0; n < 2; n++) {
    await commit()
    window.sent()
  }
  const waiting = commit()
  await turn()
  expect(begun()).toBe(2)
  window.acknowledged()
  await waiting
  expect(begun()).toBe(3)
})

it('wakes every waiting commit, also when messages are acknowledged one by one', async () => {
  const { window, commit, begun } = fixture(1)
  window.sent()
  window.sent()
  const waiting = [commit(), commit(), commit()]
  window.acknowledged()
  await turn()
  expect(begun()).toBe(0)
  window.acknowledged()
  await Promise.all(waiting)
  expect(begun()).toBe(3)
})

it('is idle once everything is taken', () => {
  const { window } = fixture(2)
  expect(window.isIdle()).toBe(true)
  window.sent()
  expect(window.isIdle()).toBe(false)
  window.acknowledged()
  expect(window.isIdle()).toBe(true)
})
