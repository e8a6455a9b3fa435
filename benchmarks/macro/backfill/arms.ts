import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Deployment } from '#devchain/deploy.ts'
import { type Contestant, jsonOf, startContestant } from './contestant.ts'

/** The settings of an indexer. */
export interface Surroundings {
  readonly rpcUrl: string
  readonly databaseUrl: string
  readonly deployment: Pick<Deployment, 'chainId' | 'startBlock' | 'weth' | 'launchpad'>
}

export interface Indexing {
  readonly contestant: Contestant
  readonly url: string
  /** Resolves once the block is indexed. */
  indexed(block: number): Promise<void>
  stop(): Promise<void>
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** The measured process pays for the answers; a measured time is longer by half of this interval. */
export const POLL_MS = 100
/** No server listens there. */
const NOWHERE = 'http://127.0.0.1:9'

/** Starts `npm start` and waits until it listens. */
export async function startTokenwire(
  { rpcUrl, databaseUrl, deployment }: Surroundings,
  nodeArgs: readonly string[] = [],
): Promise<Indexing> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tokenwire-bench-'))
  const { weth, launchpad, startBlock } = deployment
  const launchpads = [{ name: 'reference', adapter: 'bonding-curve', factory: launchpad, startBlock }]
  const launchpadsFile = path.join(folder, 'launchpads.json')
  await writeFile(launchpadsFile, JSON.stringify({ weth, launchpads }))
  const contestant = startContestant({
    args: [...nodeArgs, path.join(ROOT, 'src/main.ts')],
    cwd: folder,
    env: {
      RPC_URLS: rpcUrl,
      DATABASE_URL: databaseUrl,
      LAUNCHPADS_FILE: launchpadsFile,
      CONFIRMATIONS: '0',
      PORT: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      COINGECKO_URL: NOWHERE,
      COINBASE_URL: NOWHERE,
      LOG_FORMAT: 'json',
    },
  })
  const listening = new Promise<string>(resolve => contestant.process.on('message', message => resolve((message as { url: string }).url)))
  let url: string | null = null
  void listening.then(told => (url = told))
  const base = await contestant.until(async () => url, POLL_MS)
  return {
    contestant,
    url: base,
    indexed: async block => {
      await contestant.until(async () => {
        const health = (await jsonOf(`${base}/api/indexer/health`)) as { readonly indexedBlock: string | null } | null
        return Number(health?.indexedBlock ?? -1) >= block ? true : null
      }, POLL_MS)
    },
    stop: async () => {
      await contestant.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
