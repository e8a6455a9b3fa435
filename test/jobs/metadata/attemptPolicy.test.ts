import { describe, expect, it } from 'vitest'
import { MAX_ATTEMPTS } from '#domain/metadata.ts'
import { failure, type MetadataProblem, recordOf, retryDelayMs } from '#jobs/metadata/failure.ts'

const DAY_MS = 86_400_000

/** All delays until no further attempt. */
function delays(problem: MetadataProblem, random: number): readonly number[] {
  const all: number[] = []
  for (let attempts = 1; ; attempts++) {
    const delay = retryDelayMs(problem, attempts, null, random)
    if (delay === null) return all
    all.push(delay)
  }
}

describe('retryDelayMs', () => {
  it.each(['malformed', 'unsupported', 'forbidden_url'] as const)('is null at once for %s', problem => {
    expect(delays(problem, 0.5)).toEqual([])
  })

  it.each(['server_error', 'no_connection', 'too_slow', 'rate_limited'] as const)(
    'covers days for %s, with delays of at most a day',
    problem => {
      const all = delays(problem, 1)
      expect(all).toHaveLength(MAX_ATTEMPTS - 1)
      expect(all[0]).toBe(30_000)
      expect(all).toEqual(all.toSorted((a, b) => a - b))
      expect(Math.max(...all)).toBe(DAY_MS)
      expect(all.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThan(3 * DAY_MS)
    },
  )

  it.each(['not_found', 'not_json', 'wrong_type', 'too_large', 'forbidden_address'] as const)(
    'grows over a few attempts for %s',
    problem => {
      expect(delays(problem, 1)).toEqual([60_000, 360_000, 2_160_000, 12_960_000, 77_760_000])
    },
  )

  it('is spread by at most a fifth', () => {
    expect(retryDelayMs('too_slow', 1, null, 0)).toBe(24_000)
  })

  it('respects Retry-After up to an hour', () => {
    expect(retryDelayMs('rate_limited', 1, 120_000, 1)).toBe(120_000)
    expect(retryDelayMs('rate_limited', 1, 1_000, 1)).toBe(30_000)
    expect(retryDelayMs('rate_limited', 1, 900 * DAY_MS, 1)).toBe(3_600_000)
  })
})

describe('recordOf', () => {
  const work = { key: '0x01', uri: 'ipfs://x', lane: 'gateway', attempts: 2 } as const

  it('counts failed attempts, but not those that sent no request', () => {
    const failed = recordOf(work, { kind: 'failed', failure: failure('not_found') }, 1)
    expect(failed).toMatchObject({ state: 'pending', attempts: 3, outcome: 'not_found', retryAfterMs: 2_160_000, document: null })
    expect(recordOf(work, { kind: 'paused', forMs: 20 }, 1)).toMatchObject({ state: 'pending', attempts: 2, retryAfterMs: 1_000 })
    const disabled = recordOf(work, { kind: 'disabled', by: 'fetch_off' }, 1)
    expect(disabled).toMatchObject({ state: 'pending', attempts: 2, outcome: 'fetch_off', retryAfterMs: null })
  })

  it('refuses the URI after the last attempt', () => {
    const last = recordOf({ ...work, attempts: MAX_ATTEMPTS - 1 }, { kind: 'failed', failure: failure('too_slow') }, 1)
    expect(last).toMatchObject({ state: 'refused', attempts: MAX_ATTEMPTS, retryAfterMs: null, outcome: 'too_slow' })
  })
})
