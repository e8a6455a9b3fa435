import { describe, expect, it } from 'vitest'
import { eventually, poll } from '#test/support/eventually.ts'
import { type Machine, startPatience } from '#test/support/patience.ts'

/* A wrong expectation took five minutes to fail, since a busy machine needs that much; on a quiet one it has to fail within ten seconds. */

/** Each look at the clock takes 100 ms, of which the given part is a stall. */
function machine(stalled: number | null): Machine & { passedMs(): number } {
  let nowMs = 0
  return {
    nowMs: () => (nowMs += 100),
    stalledMs: () => (stalled === null ? null : nowMs * stalled),
    passedMs: () => nowMs,
  }
}

it.each([
  ['a quiet machine', 0, 10],
  ['a machine that is short of processors half the time', 0.5, 20],
  ['a machine that is always short of processors', 1, 300],
  ['a machine that does not tell', null, 60],
])('lasts on %s for its time: stalled %s, %s s', (_, stalled, seconds) => {
  const { passedMs, ...rest } = machine(stalled)
  const patience = startPatience(10_000, rest)
  while (!patience.isOver());
  expect(passedMs() / 1_000).toBeCloseTo(seconds, 0)
})

it('ends the wait for a result that never comes', async () => {
  await expect(startPatience(500, machine(0)).within(new Promise(() => undefined))).rejects.toThrow('no result after 500 ms')
})

describe('a condition', () => {
  const impatient = () => ({ interval: 0, patience: startPatience(500, machine(0)) })
  let reads = 0
  const next = () => Promise.resolve(++reads)

  it('is waited for', async () => {
    reads = 0
    await poll(next, impatient()).toBe(3)
    await expect(eventually(() => ++reads > 4 && 'five', impatient())).resolves.toBe('five')
  })

  it('that stays false fails with the last assertion, at the line that has it', async () => {
    const wrong = poll(() => 'seven', impatient()).not.toBe('seven')
    const error = await wrong.catch((caught: unknown) => caught)
    expect(error).toMatchObject({ message: expect.stringContaining("expected 'seven' not to be 'seven'") as unknown, actual: 'seven' })
    expect((error as Error).stack?.split('\n')[1]).toContain('patience.test.ts')
    await expect(eventually(() => reads === -1, impatient())).rejects.toThrow('still false: () => reads === -1')
  })

  it('that is read from something silent fails with what failed before', async () => {
    let asked = 0
    const read = () => (asked++ === 0 ? Promise.reject(new Error('refused')) : new Promise(() => undefined))
    await expect(eventually(read, impatient())).rejects.toThrow('refused')
  })
})

it('is how conditions are waited for in each file', () => {
  expect(expect.poll).toBe(poll)
})
