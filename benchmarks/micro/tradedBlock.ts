import { createLaunchpadChain } from '#benchmarks/chain/launchpadChain.ts'
import type { LogsToDecode } from '#launchpads/decodeLogs.ts'
import { createDirectory } from '#launchpads/directory/directory.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { SimulatedBlock } from '#test/support/simulatedChain.ts'
import { FACTORY, START_BLOCK, WETH } from '#test/support/simulatedLaunchpad.ts'

/** A token's launch, with its first trade, and a later block that trades it. */
export interface TradedBlock {
  readonly launch: LogsToDecode
  readonly traded: LogsToDecode
}

export function tradedBlock(trades: number): TradedBlock {
  const chain = createLaunchpadChain({ tokens: 1, trades: 1, blocks: 1 })
  const launchpads = [{ name: 'reference', adapter: 'bonding-curve', startBlock: START_BLOCK, contracts: { factory: FACTORY } }]
  const adapters = createAdapters({ weth: WETH, launchpads })
  const directory = createDirectory(adapters)
  const launch = chain.at(START_BLOCK)
  directory.add(directory.discoveries(launch.logs), START_BLOCK)
  const toDecode = ({ header, logs }: SimulatedBlock): LogsToDecode => ({ headers: [header], logs, directory, adapters })
  return { launch: toDecode(launch), traded: toDecode(chain.mine(Array.from({ length: trades }, () => 0))) }
}
