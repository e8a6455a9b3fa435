import { expect, test } from 'vitest'
import { TOKENWIRE, UWS_SEND } from '#benchmarks/macro/fanOut/arms.ts'
import { trueChain } from '#benchmarks/macro/fanOut/scenarios/trueChain.ts'
import { avalanche } from '#benchmarks/macro/outages/avalanche.ts'
import { failover } from '#benchmarks/macro/outages/failover.ts'
import { idleGateway } from '#benchmarks/macro/outages/idle.ts'
import { jitter } from '#benchmarks/macro/outages/jitter.ts'
import { TEST_LIMIT_MS } from '#test/support/limits.ts'

const CURRENT = 'clients with the newest state, percent'

test('every client of a killed gateway has the newest state from the other one, though nothing changes after its return', async () => {
  const figures = await avalanche({ connections: 20, committingMs: 1, settlingMs: TEST_LIMIT_MS }).measure(TOKENWIRE)
  expect(figures[CURRENT]).toBe(100)
  expect(figures['p99']).toBeGreaterThan(0)
})

test('clients of a bare server that were away stay behind it', async () => {
  const figures = await jitter({ connections: 300, forMs: 2_000, settlingMs: 0 }).measure(UWS_SEND)
  expect(figures['returns']).toBeGreaterThan(0)
  expect(figures[CURRENT]).toBeLessThan(100)
})

test('every client has the newest state of a standby that took over', async () => {
  const figures = await failover({ connections: 5, takeoverMs: TEST_LIMIT_MS, settlingMs: TEST_LIMIT_MS }).measure(TOKENWIRE)
  expect(figures[CURRENT]).toBe(100)
  expect(figures['p99']).toBeGreaterThan(0)
})

test('the memory of idle clients is read at each number of them', async () => {
  const figures = await idleGateway({ connections: [10, 40] }).measure(TOKENWIRE)
  for (const count of [10, 40])
    for (const name of ['beyond the empty process', 'of it JavaScript heap', 'kernel'])
      expect(figures).toHaveProperty([`${count}: ${name}`])
  // Ten clients more or less do not show in the process, so that its share is a quarter.
  const ratio = Number(figures['10: whole process']) / Number(figures['40: whole process'])
  expect(ratio).toBeGreaterThan(2)
  expect(ratio).toBeLessThan(8)
})

test('every update of the true chain arrives at each of its subscribers', async () => {
  const figures = await trueChain({ connections: 8, blocks: 2, warmUpBlocks: 2 }).measure(TOKENWIRE)
  // Two blocks of ten tokens, of which each has a quarter of the connections.
  expect(figures['deliveries']).toBe(2 * 10 * 2)
})
