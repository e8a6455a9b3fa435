import { describe, expect, it } from 'vitest'
import { mapBounded } from '#async/turns.ts'

describe('mapBounded', () => {
  it('keeps the order and the bound', async () => {
    let underWay = 0
    let most = 0
    const gates = Array.from({ length: 10 }, () => Promise.withResolvers<void>())
    const mapped = mapBounded([...gates.keys()], 3, async index => {
      most = Math.max(most, ++underWay)
      await gates[index]?.promise
      underWay--
      return index * 2
    })
    for (const gate of gates.toReversed()) gate.resolve()
    await expect(mapped).resolves.toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18])
    expect(most).toBe(3)
  })

  it('begins nothing more after a failure and fails when nothing is under way', async () => {
    const begun: number[] = []
    let settled = false
    const slow = Promise.withResolvers<void>()
    const mapped = mapBounded([0, 1, 2, 3], 2, async index => {
      begun.push(index)
      if (index === 0) throw new Error('first')
      await slow.promise
      settled = true
    })
    slow.resolve()
    await expect(mapped).rejects.toThrow('first')
    expect({ begun, settled }).toEqual({ begun: [0, 1], settled: true })
  })

  it('maps nothing to nothing', async () => {
    await expect(mapBounded([], 3, () => Promise.reject(new Error('never')))).resolves.toEqual([])
  })
})
