import type { Random } from '#devchain/traders/random.ts'
import type { Hex } from '#domain/address.ts'
import { createSimulatedChain, type NewLog, type SimulatedBlock, type SimulatedChain } from './simulatedChain.ts'
import { EMPTY_MARKET, type Market, START_BLOCK, tradeBlock } from './simulatedLaunchpad.ts'

/** A chain that forks at random, and what is mined on it. */
export interface ForkingChain {
  readonly chain: SimulatedChain
  /** @param seconds the block time. Default: random */
  mine(count: number, seconds?: number): void
  /** Replaces the newest blocks, at most `most` and never more than can be undone. */
  fork(depth: number, grown: number): Fork
}

/** The dropped and the added blocks of a fork, ascending. */
export interface Fork {
  readonly dropped: readonly SimulatedBlock[]
  readonly added: readonly SimulatedBlock[]
}

/** Indexes as some public chains have them: past 32 bits, with gaps. */
export const wideIndex = (position: number) => 0xffff_ffe2 + 3 * position

/**
 * @param strangers the logs of other contracts in a block. Default: none
 * @param indexOf as of the simulated chain
 * @param trade the logs of a block's trading. Default: `tradeBlock`
 */
export function createForkingChain(
  random: Random,
  maxReorgDepth: number,
  strangers: (number: number) => readonly NewLog[] = () => [],
  indexOf = (position: number) => position,
  trade = tradeBlock,
): ForkingChain {
  const chain = createSimulatedChain({ genesisTimestamp: 1_700_000_000, indexOf })
  const markets = new Map<Hex, Market>([[chain.head().header.hash, EMPTY_MARKET]])
  let highest = 0
  const mine = (count: number, seconds?: number) => {
    for (let mined = 0; mined < count; mined++) {
      const { logs, market } = trade(markets.get(chain.head().header.hash) ?? EMPTY_MARKET, random)
      const block = chain.mine([...strangers(chain.head().header.number + 1), ...logs], seconds ?? Math.round(random.spread(1, 4_000)))
      markets.set(block.header.hash, market)
    }
    highest = Math.max(highest, chain.head().header.number)
  }
  const blocksAfter = (number: number) =>
    Array.from({ length: chain.head().header.number - number }, (_, above) => chain.at(number + 1 + above))
  return {
    chain,
    mine,
    fork: (depth, grown) => {
      const head = chain.head().header.number
      // Never deeper than can be undone, wherever the index stands; the first indexed block may be replaced, too.
      const dropped = Math.min(depth, head - Math.max(START_BLOCK - 1, highest - maxReorgDepth))
      if (dropped < 1) return { dropped: [], added: [] }
      const gone = blocksAfter(head - dropped)
      chain.drop(dropped)
      mine(Math.max(1, dropped + grown))
      return { dropped: gone, added: blocksAfter(head - dropped) }
    },
  }
}
