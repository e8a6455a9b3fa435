import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Worker } from '#benchmarks/harness/worker.ts'
import type { Settings } from '#benchmarks/service/measuredService.ts'
import { FACTORY, WETH } from '#test/support/simulatedLaunchpad.ts'
import type { ChainCalls } from './chainCalls.ts'
import type { ChainSize } from './launchpadChain.ts'

/** The chain in a process of its own. */
export interface Chain {
  readonly calls: Worker<ChainCalls>
  /** Of its provider, over HTTP. */
  readonly url: string
  /** Of a service that indexes it, whose provider tells new heads. */
  readonly settings: Settings
}

const MAKE_TIMEOUT_MS = 600_000

/** @param folder of `launchpads.json` */
export async function startChain(size: ChainSize, folder: string): Promise<Chain> {
  const calls = Worker.start<ChainCalls>(new URL('./chainProcess.ts', import.meta.url))
  try {
    const { url, webSocketUrl } = await calls.call('open', size, MAKE_TIMEOUT_MS)
    const launchpadsFile = path.join(folder, 'launchpads.json')
    const launchpads = [{ name: 'reference', adapter: 'bonding-curve', factory: FACTORY, startBlock: 1 }]
    await writeFile(launchpadsFile, JSON.stringify({ weth: WETH, launchpads }))
    return { calls, url, settings: { RPC_URLS: webSocketUrl, LAUNCHPADS_FILE: launchpadsFile, COINGECKO_URL: url, COINBASE_URL: url } }
  } catch (error) {
    await calls.stop()
    throw error
  }
}
