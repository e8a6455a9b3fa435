import { expect, test } from 'vitest'
import { TOKENWIRE, UWS_SEND } from '#benchmarks/macro/fanOut/arms.ts'
import { avalanche } from '#benchmarks/macro/outages/avalanche.ts'
import { jitter } from '#benchmarks/macro/outages/jitter.ts'

const CURRENT = 'clients with the newest state, percent'

test('every client of a killed gateway has the newest state from the other one, though nothing changes after its return', async () => {
  const figures = await avalanche({ connections: 20, committingMs: 1, settlingMs: 60_000 }).measure(TOKENWIRE)
  expect(figures[CURRENT]).toBe(100)
  expect(figures['p99']).toBeGreaterThan(0)
})

test('clients of a bare server that were away stay behind it', async () => {
  const figures = await jitter({ connections: 300, forMs: 2_000, settlingMs: 0 }).measure(UWS_SEND)
  expect(figures['returns']).toBeGreaterThan(0)
  expect(figures[CURRENT]).toBeLessThan(100)
})
