import { describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '#clock'
import { runLive } from '#devchain/live.ts'
import { createRandom } from '#devchain/traders/random.ts'
import type { Traders } from '#devchain/traders.ts'

const NO_STATS = { blocks: 0, transactions: 0, reverted: 0, refused: 0, launched: 0, graduated: 0 }

interface Run {
  /** Start and number of actions of each block. */
  readonly blocks: readonly { readonly at: number; readonly actions: number }[]
  readonly errors: readonly unknown[]
  readonly atOnce: number
}

/** Runs some blocks on a clock that moves only with sleeps and with the duration of blocks. */
async function run(options: {
  readonly count: number
  readonly takesMs: (block: number) => number
  readonly fails?: number
}): Promise<Run> {
  const abort = new AbortController()
  const blocks: { at: number; actions: number }[] = []
  const errors: unknown[] = []
  let now = 0
  let inProgress = 0
  let atOnce = 0
  const clock: Clock = {
    nowMs: () => now,
    epochMs: () => now,
    sleep: ms => {
      now += ms
      return Promise.resolve()
    },
  }
  const block: Traders['block'] = async actions => {
    atOnce = Math.max(atOnce, ++inProgress)
    blocks.push({ at: now, actions })
    await Promise.resolve()
    now += options.takesMs(blocks.length)
    inProgress--
    if (blocks.length === options.count) abort.abort()
    if (blocks.length === options.fails) throw new Error('the chain does not answer')
  }
  const traders: Traders = { block, stats: () => NO_STATS, busiestToken: () => null }
  await runLive({
    traders,
    random: createRandom(1),
    clock,
    blockTimeMs: 1_000,
    tradesPerBlock: 4,
    signal: abort.signal,
    onError: error => errors.push(error),
  })
  return { blocks, errors, atOnce }
}

describe('runLive', () => {
  it('keeps the block time when blocks take less', async () => {
    const { blocks } = await run({ count: 5, takesMs: block => block * 150 })
    expect(blocks.map(block => block.at)).toEqual([1_000, 2_000, 3_000, 4_000, 5_000])
  })

  it('is late when blocks take too long, and does not catch up', async () => {
    const { blocks, atOnce } = await run({ count: 5, takesMs: block => (block === 2 ? 3_500 : 100) })
    expect(blocks.map(block => block.at)).toEqual([1_000, 2_000, 5_500, 6_500, 7_500])
    expect(atOnce).toBe(1)
  })

  it('has about the given number of actions per block', async () => {
    const { blocks } = await run({ count: 200, takesMs: () => 0 })
    expect(blocks.every(block => block.actions >= 2 && block.actions <= 6)).toBe(true)
    expect(blocks.reduce((sum, block) => sum + block.actions, 0) / 200).toBeCloseTo(4, 0)
  })

  it('ends at once when it is aborted while it waits', async () => {
    const abort = new AbortController()
    const live = runLive({
      traders: { block: () => Promise.reject(new Error('no block was due')), stats: () => NO_STATS, busiestToken: () => null },
      random: createRandom(1),
      clock: systemClock,
      blockTimeMs: 3_600_000,
      tradesPerBlock: 4,
      signal: abort.signal,
      onError: error => {
        throw error
      },
    })
    abort.abort()
    await expect(live).resolves.toBeUndefined()
  })

  it('continues after a failed block', async () => {
    const { blocks, errors } = await run({ count: 4, takesMs: () => 0, fails: 2 })
    expect(blocks).toHaveLength(4)
    expect(errors).toEqual([new Error('the chain does not answer')])
  })
})
