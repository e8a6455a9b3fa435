import { describe, expect, it } from 'vitest'
import { MOST_ATTEMPTS } from '#domain/metadata.ts'
import { nextAttempt } from '#jobs/metadata/attemptPolicy.ts'
import { failure, type Problem } from '#jobs/metadata/problem.ts'
import { recordOf } from '#jobs/metadata/recordOf.ts'

const DAY_MS = 86_400_000

/** The delays until it is given up. */
function delays(problem: Problem, random: number): readonly number[] {
  const all: number[] = []
  for (let attempts = 1; ; attempts++) {
    const decision = nextAttempt(problem, attempts, null, random)
    if (decision.kind === 'give-up') return all
    all.push(decision.afterMs)
  }
}

describe('nextAttempt', () => {
  it.each(['malformed', 'unsupported', 'forbidden_url'] as const)('gives up at once what is %s', problem => {
    expect(delays(problem, 0.5)).toEqual([])
  })

  it.each(['server_error', 'no_connection', 'too_slow', 'rate_limited'] as const)(
    'tries for days what is %s, at most once a day',
    problem => {
      const all = delays(problem, 1)
      expect(all).toHaveLength(MOST_ATTEMPTS - 1)
      expect(all[0]).toBe(30_000)
      expect(all).toEqual(all.toSorted((a, b) => a - b))
      expect(Math.max(...all)).toBe(DAY_MS)
      expect(all.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThan(3 * DAY_MS)
    },
  )

  it.each(['not_found', 'not_json', 'wrong_type', 'too_large', 'forbidden_address'] as const)('tries a few times what is %s', problem => {
    expect(delays(problem, 1)).toEqual([60_000, 360_000, 2_160_000, 12_960_000, 77_760_000])
  })

  it('spreads the attempts, and never by more than a fifth', () => {
    expect(nextAttempt('too_slow', 1, null, 0)).toEqual({ kind: 'retry', afterMs: 24_000 })
  })

  it('waits as long as the server asks, up to an hour', () => {
    expect(nextAttempt('rate_limited', 1, 120_000, 1)).toEqual({ kind: 'retry', afterMs: 120_000 })
    expect(nextAttempt('rate_limited', 1, 1_000, 1)).toEqual({ kind: 'retry', afterMs: 30_000 })
    expect(nextAttempt('rate_limited', 1, 900 * DAY_MS, 1)).toEqual({ kind: 'retry', afterMs: 3_600_000 })
  })
})

describe('recordOf', () => {
  const work = { key: '0x01', uri: 'ipfs://x', lane: 'gateway', attempts: 2 } as const

  it('counts an attempt that failed, and not one that asked nobody', () => {
    const failed = recordOf(work, { kind: 'failed', failure: failure('not_found') }, 1)
    expect(failed).toMatchObject({ state: 'pending', attempts: 3, outcome: 'not_found', retryAfterMs: 2_160_000, document: null })
    expect(recordOf(work, { kind: 'paused', forMs: 20 }, 1)).toMatchObject({ state: 'pending', attempts: 2, retryAfterMs: 1_000 })
    expect(recordOf(work, { kind: 'forgone', because: 'fetch_off' }, 1)).toMatchObject({
      state: 'pending',
      attempts: 2,
      retryAfterMs: null,
    })
  })

  it('gives up after the last attempt', () => {
    const last = recordOf({ ...work, attempts: MOST_ATTEMPTS - 1 }, { kind: 'failed', failure: failure('too_slow') }, 1)
    expect(last).toMatchObject({ state: 'refused', attempts: MOST_ATTEMPTS, retryAfterMs: null, outcome: 'too_slow' })
  })
})
