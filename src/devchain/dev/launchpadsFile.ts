import type { Deployment } from '#devchain/deploy.ts'

/** The text of the `launchpads.json` that has the reference launchpad of a development chain indexed from its first block. */
export function launchpadsFile({ weth, launchpad, startBlock }: Deployment): string {
  const launchpads = [{ name: 'reference', adapter: 'bonding-curve', factory: launchpad, startBlock }]
  return `${JSON.stringify({ weth, launchpads }, null, 2)}\n`
}
