import { createRandom } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import { createSimulatedChain, type NewLog, type SimulatedBlock } from '#test/support/simulatedChain.ts'
import { createMarket, type Transaction } from './market.ts'
import type { ProvidedChain } from './provider.ts'

/** The history of a chain. Equal sizes give equal blocks. */
export interface ChainSize {
  readonly tokens: number
  readonly trades: number
  readonly blocks: number
}

/** What an indexer finds on the chain. */
export interface ChainContents {
  readonly tokens: readonly Address[]
  /** The trades of each token, in the order of `tokens`. */
  readonly trades: readonly number[]
  readonly logs: number
  readonly head: number
}

/** A chain in memory with a history of one launchpad, to which blocks of trades are added. */
export interface LaunchpadChain extends ProvidedChain {
  contents(): ChainContents
  /** Mines a block with a trade of each of these tokens, given by their indexes. An index that comes twice has two trades. */
  mine(tokens: readonly number[]): SimulatedBlock
  /** Drops the blocks after the history. The same trades follow again, in blocks with other hashes. */
  reset(): void
}

export const CHAIN_ID = 31_337
const SEED = 1
const HISTORY_SECONDS = 2
const GENESIS_TIMESTAMP = 1_780_000_000
/**
 * More than a day lies between the history and the first added block, and the added blocks are a second apart. So no trade leaves a
 * window of time meanwhile, and a block changes the tokens that it trades and no other.
 */
const PAUSE_SECONDS = 90_000
/** More than are followed one by one: a backfill ends before the pause. */
const QUIET_BLOCKS = 160
/** The share of the history in which tokens are launched. */
const LAUNCHING_SHARE = 0.5

export function createLaunchpadChain({ tokens, trades, blocks }: ChainSize): LaunchpadChain {
  const chain = createSimulatedChain({ chainId: CHAIN_ID, blockSeconds: 1, genesisTimestamp: GENESIS_TIMESTAMP })
  const market = createMarket({ seed: SEED, wallets: Math.max(20, tokens) })
  const random = createRandom(SEED)
  // A launch has a trade of its own.
  let tradesLeft = Math.max(0, trades - tokens)
  for (let block = 0; block < blocks; block++) {
    const transactions: Transaction[] = []
    const due = Math.min(tokens, Math.ceil((tokens * (block + 1)) / (blocks * LAUNCHING_SHARE)))
    while (market.tokens.length < due) transactions.push(market.launch())
    for (let count = Math.ceil(tradesLeft / (blocks - block)); count > 0; count--, tradesLeft--) {
      // A long tail: the nth token is traded about 1/n as often as the first.
      transactions.push(market.trade(Math.floor(market.tokens.length ** random.unit()) - 1))
    }
    chain.mine(inOneBlock(transactions), HISTORY_SECONDS)
  }
  chain.mine([], PAUSE_SECONDS)
  for (let block = 1; block < QUIET_BLOCKS; block++) chain.mine()
  const historyHead = chain.head().header.number
  const restore = market.save()

  return {
    chainId: CHAIN_ID,
    answer: chain.answer,
    at: chain.at,
    head: chain.head,
    contents: () => ({
      tokens: market.tokens.map(({ address }) => address),
      trades: market.tokens.map(token => token.trades),
      logs: chain.logs().length,
      head: chain.head().header.number,
    }),
    mine: of => chain.mine(inOneBlock(of.map(market.trade))),
    reset: () => {
      chain.drop(chain.head().header.number - historyHead)
      restore()
    },
  }
}

function inOneBlock(transactions: readonly Transaction[]): readonly NewLog[] {
  return transactions.flatMap((logs, tx) => logs.map(log => ({ ...log, tx })))
}
