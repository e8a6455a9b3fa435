import { describe, expect, it } from 'vitest'
import { fanOut } from '#benchmarks/macro/fanOut.ts'
import { reportFanOut } from '#benchmarks/macro/reportFanOut.ts'

/** As small as it gets: what it measures means nothing, what it checks does. */
const TINY = {
  rounds: 1,
  hot: { connections: 3, updatesPerTurn: 2, updatesPerSecond: 100, warmUp: { blocks: 2, everyMs: 5 } },
  block: { connections: 2, tokens: 3, blocksPerRound: 2, warmUp: { blocks: 1, everyMs: 5 } },
}

describe('the fan-out benchmark', () => {
  it('delivers every update to every connection of every arm', async () => {
    const result = await fanOut(TINY)
    expect(result.hot.map(({ arm, deliveries }) => [arm, deliveries])).toEqual([
      ['tokenwire', 6],
      ['bare send loop', 6],
      ['bare send loop, again', 6],
    ])
    expect(result.block.map(({ arm, deliveriesPerBlock }) => [arm, deliveriesPerBlock])).toEqual([
      ['tokenwire', 6],
      ['bare send loop', 6],
      ['bare send loop, again', 6],
      ['bare corked loop', 6],
    ])
    for (const { p50Ms, p99Ms, p999Ms } of result.hot) {
      expect(p50Ms).toBeGreaterThan(0)
      expect(p99Ms).toBeGreaterThanOrEqual(p50Ms)
      expect(p999Ms).toBeGreaterThanOrEqual(p99Ms)
    }
    for (const { lastClientMs, lastClientRatio } of result.block) {
      expect(lastClientMs).toBeGreaterThan(0)
      expect(lastClientRatio.perRound).toHaveLength(2)
    }
    const report = reportFanOut(result)
    for (const { arm } of result.block) expect(report).toContain(arm)
  })
})
