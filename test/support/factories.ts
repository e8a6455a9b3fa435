import { deployFactories, type FactoriesOptions } from '#devchain/deployFactories.ts'
import type { V4Chain } from '#devchain/v4Actions.ts'
import type { TestChain } from './chain.ts'

/** A test chain with all launchpads of the development chain. */
export type FactoriesChain = TestChain & V4Chain

/** Deploys the further launchpads in a block of their own, in less than 100 ms. */
export async function addFactories(chain: TestChain, options: FactoriesOptions = {}): Promise<FactoriesChain> {
  return { ...chain, factories: await deployFactories(chain.client, chain.deployment, () => chain.mine(), options) }
}
