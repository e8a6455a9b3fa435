import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createTurns, type Turns } from '#rpc/turns.ts'

const settled = () => nextTurn()

/** Work that ends when it is told to, and how much of it was under way at once. */
function openWork() {
  const ends: (() => void)[] = []
  let underWay = 0
  const work = async () => {
    underWay++
    await new Promise<void>(resolve => ends.push(resolve))
    underWay--
  }
  const end = async () => {
    ends.shift()?.()
    await settled()
  }
  return { work, end, underWay: () => underWay }
}

/** How many of so many are let in at once. */
async function atOnce(turns: Turns, count: number): Promise<number> {
  const { work, end, underWay } = openWork()
  const all = Array.from({ length: count }, () => turns.take(work))
  await settled()
  const admitted = underWay()
  for (let ended = 0; ended < count; ended++) await end()
  await Promise.all(all)
  return admitted
}

describe('turns', () => {
  it('let everybody ask at once before anything was refused', async () => {
    expect(await atOnce(createTurns(), 40)).toBe(40)
  })

  it('let one ask after the other once the provider refused, then more at a time with each answer', async () => {
    const turns = createTurns()
    const { work, end, underWay } = openWork()
    turns.refused()
    const all = Array.from({ length: 100 }, () => turns.take(work))
    const most: number[] = []
    for (let count = 0; count < 100; count++) {
      await settled()
      most.push(underWay())
      turns.answered()
      await end()
    }
    await Promise.all(all)
    expect(most.slice(0, 8)).toEqual([1, 2, 2, 2, 3, 3, 3, 4])
    expect(Math.max(...most)).toBeGreaterThan(10)
    // And all of them in the end.
    for (let count = 0; count < 500; count++) turns.answered()
    expect(await atOnce(turns, 40)).toBe(40)
  })

  it('pass on what the work throws, and go on', async () => {
    const turns = createTurns()
    turns.refused()
    const failing = turns.take(() => Promise.reject(new Error('broken')))
    const next = turns.take(async () => 'next')
    await expect(failing).rejects.toThrow('broken')
    await expect(next).resolves.toBe('next')
  })
})
