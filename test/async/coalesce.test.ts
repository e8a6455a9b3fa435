import { describe, expect, it } from 'vitest'
import { coalesce } from '#async/coalesce.ts'

function setUp() {
  const runs: { readonly value: number; resolve(): void; reject(error: Error): void }[] = []
  const failures: (readonly [string, number, number])[] = []
  const coalesced = coalesce<number>(
    value => new Promise<void>((resolve, reject) => runs.push({ value, resolve, reject })),
    (error, value, failuresInARow) => failures.push([(error as Error).message, value, failuresInARow]),
  )
  return { coalesced, runs, failures }
}

describe('coalesce', () => {
  it('runs one task at a time, then the newest of those that waited', async () => {
    const { coalesced, runs } = setUp()
    for (const value of [1, 2, 3]) coalesced.request(value)
    expect(runs.map(({ value }) => value)).toEqual([1])
    runs[0]?.resolve()
    await expect.poll(() => runs.map(({ value }) => value)).toEqual([1, 3])
    runs[1]?.resolve()
    await coalesced.settled()
    expect(runs).toHaveLength(2)
  })

  it('goes on after a failure and counts failures in a row', async () => {
    const { coalesced, runs, failures } = setUp()
    for (const [value, outcome] of [
      [1, 'reject'],
      [2, 'reject'],
      [3, 'resolve'],
      [4, 'reject'],
    ] as const) {
      coalesced.request(value)
      const run = runs.at(-1)
      if (outcome === 'reject') run?.reject(new Error(`no ${value}`))
      else run?.resolve()
      await coalesced.settled()
    }
    expect(failures).toEqual([
      ['no 1', 1, 1],
      ['no 2', 2, 2],
      ['no 4', 4, 1],
    ])
  })

  it('starts nothing and reports nothing after a stop', async () => {
    const { coalesced, runs, failures } = setUp()
    coalesced.request(1)
    coalesced.request(2)
    coalesced.stop()
    coalesced.request(3)
    runs[0]?.reject(new Error('late'))
    await coalesced.settled()
    expect(runs).toHaveLength(1)
    expect(failures).toEqual([])
  })
})
