import type { Deployment } from '#devchain/deploy.ts'
import { DOLLAR_DECIMALS, type Factories } from '#devchain/deployFactories.ts'
import { REFERENCE_EVENTS } from '#launchpads/adapters/bondingCurve.ts'

/** A `launchpads.json` for the launchpads of the development chain, indexed from their first blocks. */
export function launchpadsFile({ weth, launchpad, startBlock: first }: Deployment, factories: Factories): string {
  const { startBlock, dollar, dollarPool, dollarLaunchpad, v4 } = factories
  const events = { quoteToken: dollar, ...REFERENCE_EVENTS }
  const launchpads = [
    { name: 'reference', adapter: 'bonding-curve', factory: launchpad, startBlock: first },
    { name: 'reference-dollar', adapter: 'bonding-curve', factory: dollarLaunchpad, startBlock, events },
    { name: 'dollar', adapter: 'quote-pool', token: dollar, pool: dollarPool, startBlock },
    // This launchpad emits the events of Clanker's v4 factory.
    {
      name: 'reference-v4',
      adapter: 'clanker-v4',
      factory: v4.launchpad,
      feeLocker: v4.feeLocker,
      poolManager: v4.poolManager,
      startBlock,
    },
  ]
  return `${JSON.stringify({ weth, launchpads, pegUsd: [{ token: dollar, decimals: DOLLAR_DECIMALS }] }, null, 2)}\n`
}
