import { startProvider } from '#benchmarks/chain/provider.ts'
import { answerCalls } from '#benchmarks/harness/worker.ts'
import { createGrowthChain } from './growthChain.ts'
import { SCALES } from './scale.ts'
import { tradedTokens } from './tradedTokens.ts'

/* The chain and its provider in a process of their own, so that making blocks does not hold up the clients. */

export interface GrowthChainCalls {
  /** Adds a block every so often to what is in the database, up to the block `from`. @returns the URL of the provider */
  open(plan: {
    /** Its name. */
    readonly scale: string
    readonly from: number
    readonly tokens: number
    readonly tradesPerBlock: number
    readonly everyMs: number
  }): Promise<string>
  /** No more blocks come after the newest. */
  stopBlocks(_: null): void
}

let growing: NodeJS.Timeout | undefined

answerCalls<GrowthChainCalls>({
  open: async ({ scale: name, tokens, everyMs, ...plan }) => {
    const scale = SCALES.find(one => one.name === name)
    if (scale === undefined) throw new Error(`no scale ${name}`)
    const chain = createGrowthChain({ ...plan, scale, tokens: tradedTokens(scale, tokens) })
    const provider = await startProvider(chain)
    growing = setInterval(() => provider.announce(chain.mine()), everyMs)
    return provider.url
  },
  stopBlocks: () => clearInterval(growing),
})
