import type { Deployment } from '#devchain/deploy.ts'

/** A `launchpads.json` for the reference launchpad, indexed from its first block. */
export function launchpadsFile({ weth, launchpad, startBlock }: Deployment): string {
  const launchpads = [{ name: 'reference', adapter: 'bonding-curve', factory: launchpad, startBlock }]
  return `${JSON.stringify({ weth, launchpads }, null, 2)}\n`
}
