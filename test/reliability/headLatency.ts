import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Scenario } from './scenario.ts'
import { BLOCK_SECONDS } from './world/chain.ts'
import type { World } from './world/world.ts'

const BLOCK_MS = BLOCK_SECONDS * 1_000
const POLL_MS = 20
/** Of the public five minutes; the last part is after a reorg. */
const BLOCKS = { full: 135, short: 15 }
const BLOCKS_AFTER_REORG = 10

interface Latencies {
  /** From the moment at which a block became the head to the moment at which its rows could be read, in milliseconds, ascending. */
  readonly ms: readonly number[]
  /** The longest time for which the index was more than five blocks behind. */
  readonly behindMs: number
}

/** Grows the chain by a block every two seconds, and sees when the rows of each can be read. */
async function follow(here: World, blocks: number): Promise<Latencies> {
  const { chain } = here
  const last = chain.head.number + blocks
  const ms: number[] = []
  let seen = chain.head.number
  let behindSince: number | null = null
  let behindMs = 0
  let nextAt = performance.now()
  while (seen < last) {
    if (chain.head.number < last && performance.now() >= nextAt) {
      chain.grow(1)
      nextAt += BLOCK_MS
    }
    const { rows } = await sql<{ number: number }>`select cursor_number as number from chain_state`.execute(here.database.db)
    const now = performance.now()
    for (; seen < (rows[0]?.number ?? 0); seen++) ms.push(now - (chain.blocks[seen + 1]?.publishedAtMs ?? now))
    behindSince = chain.head.number - seen > 5 ? (behindSince ?? now) : null
    behindMs = Math.max(behindMs, now - (behindSince ?? now))
    await pause(POLL_MS)
  }
  return { ms: ms.toSorted((a, b) => a - b), behindMs }
}

const quantile = (sorted: readonly number[], of: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * of))] ?? 0
const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`

export const HEAD_LATENCY: readonly Scenario[] = [
  {
    group: 'head latency',
    name: 'a block every two seconds',
    alone: true,
    checks: [
      'shows half of the blocks within 2 s',
      'shows 99 % of the blocks within 10 s',
      'is never more than five blocks behind for 15 s',
      'is as fast as before after a reorg',
    ],
    run: async ({ world, passed, full }) => {
      const here = await world({ blocks: 150 })
      await here.start()
      await here.matches()
      const before = await follow(here, full ? BLOCKS.full : BLOCKS.short)
      const median = quantile(before.ms, 0.5)
      const slow = quantile(before.ms, 0.99)
      if (median < BLOCK_MS) passed('shows half of the blocks within 2 s', inSeconds(median))
      if (slow < 10_000) passed('shows 99 % of the blocks within 10 s', inSeconds(slow))
      if (before.behindMs < 15_000) passed('is never more than five blocks behind for 15 s', inSeconds(before.behindMs))
      here.chain.replace(4, 5)
      await here.matches()
      const after = quantile((await follow(here, BLOCKS_AFTER_REORG)).ms, 0.5)
      // Twice the median before, or a block time where that is longer.
      if (after <= Math.max(2 * median, BLOCK_MS)) passed('is as fast as before after a reorg', inSeconds(after))
      await here.matches()
    },
  },
]
