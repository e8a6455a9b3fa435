import { describe, expect, it } from 'vitest'
import { atOnce, inSlices, type Steps } from '#index/inSlices.ts'

function* counting(steps: number, each: () => void = () => undefined): Steps<number> {
  for (let step = 0; step < steps; step++) {
    each()
    yield
  }
  return steps
}

const busy = (ms: number) => () => {
  for (const until = performance.now() + ms; performance.now() < until; );
}

describe('work in slices', () => {
  it('comes to the same as work at once', async () => {
    expect(await inSlices(counting(1_000))).toBe(1_000)
    expect(atOnce(counting(1_000))).toBe(1_000)
  })

  it('lets others have their turn long before it is done', async () => {
    let turns = 0
    let done = false
    const others = () => {
      if (done) return
      turns++
      setImmediate(others)
    }
    setImmediate(others)
    await inSlices(counting(60, busy(1)))
    done = true
    expect(turns).toBeGreaterThan(5)
  })

  it('throws what a step throws', async () => {
    const failing = counting(3, () => {
      throw new TypeError('broken')
    })
    await expect(inSlices(failing)).rejects.toThrow('broken')
  })
})
