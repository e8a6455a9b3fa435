import { pino } from 'pino'
import { expect, it } from 'vitest'
import { watchEventLoop } from '#telemetry/eventLoopWatch.ts'

function fixture() {
  const lines: string[] = []
  const logger = pino({ base: null, timestamp: false }, { write: line => lines.push(line) })
  const clock = { nowMs: 1_000 }
  let look = () => {}
  let isStopped = false
  const watch = watchEventLoop({
    logger,
    now: () => clock.nowMs,
    thread: 'main',
    repeat: (_, run) => {
      look = run
      return () => {
        isStopped = true
      }
    },
  })
  /** The timer is due after 250 ms and comes so much later. */
  const lookLate = (byMs: number) => {
    clock.nowMs += 250 + byMs
    look()
  }
  return { watch, lines, lookLate, isStopped: () => isStopped }
}

it('reports each time that the event loop stood still, and how long the longest was', () => {
  const { watch, lines, lookLate } = fixture()
  for (const byMs of [0, 499, 2_000.5, 1, 700]) lookLate(byMs)
  expect(watch.state()).toMatchObject({ stallsTotal: 2, longestStallMs: 2_000.5 })
  expect(lines.map(line => JSON.parse(line) as unknown)).toEqual([
    { level: 40, thread: 'main', delayMs: 2_001, msg: 'the event loop stood still' },
    { level: 40, thread: 'main', delayMs: 700, msg: 'the event loop stood still' },
  ])
})

it('says nothing of a loop that runs', () => {
  const { watch, lines, lookLate } = fixture()
  for (let looks = 0; looks < 10; looks++) lookLate(20)
  expect(watch.state()).toMatchObject({ stallsTotal: 0, longestStallMs: 0 })
  expect(lines).toEqual([])
})

it('notices a real stall, and stops', async () => {
  const lines: string[] = []
  const logger = pino({ base: null }, { write: line => lines.push(line) })
  const watch = watchEventLoop({ logger, now: () => performance.now(), thread: 'main' })
  const until = performance.now() + 800
  while (performance.now() < until);
  while (watch.state().stallsTotal === 0) await new Promise(setImmediate)
  expect(watch.state().longestStallMs).toBeGreaterThanOrEqual(500)
  expect(lines[0]).toContain('the event loop stood still')
  const shortlyUntil = performance.now() + 200
  while (performance.now() < shortlyUntil);
  await expect.poll(() => watch.state().delayP99Ms).toBeGreaterThan(100)
  watch.stop()
  const { isStopped, watch: other } = fixture()
  other.stop()
  expect(isStopped()).toBe(true)
})
