import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Surroundings } from '#benchmarks/macro/backfill/arms.ts'
import type { Address } from '#domain/address.ts'

const CHAIN_ID = 31337
const START_TIMEOUT_MS = 180_000
/** Pages of the lists that are asked for are full then. */
const LEAST_TOKENS = 50

/** `npm run dev` of a checkout: the same seeded market, with a block a second. */
export interface DevService extends Surroundings {
  readonly url: string
  /** The token with the most trades, and what its routes answer to. */
  readonly hotToken: string
  readonly tokens: readonly string[]
  indexedBlock(): Promise<number>
  stop(): Promise<void>
}

/** @throws `Error` when the service does not serve in time */
export async function startDevService(checkout: string): Promise<DevService> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'tokenwire-requests-'))
  const child = spawn(process.execPath, ['src/devchain/dev.ts'], {
    cwd: checkout,
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: dataDir,
      PORT: '0',
      DEV_RPC_PORT: '0',
      DEV_SEED: '1',
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const stop = async () => {
    const exited = child.exitCode === null ? once(child, 'exit') : null
    child.kill('SIGTERM')
    await exited
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    const { url, launchpadsFile, ...urls } = await readDevFile(child, path.join(dataDir, 'dev.json'))
    const tokens = await listTokens(url)
    const deployment = await readDeployment(launchpadsFile)
    return { url, ...urls, deployment, tokens, hotToken: tokens[0] ?? '', indexedBlock: () => readIndexedBlock(url), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

interface DevFile {
  readonly url: string
  readonly rpcUrl: string
  readonly databaseUrl: string
  readonly launchpadsFile: string
}

async function readDevFile(child: ChildProcess, file: string): Promise<DevFile> {
  for (let waited = 0; waited < START_TIMEOUT_MS; waited += 500) {
    if (child.exitCode !== null) throw new Error(`npm run dev ended with ${child.exitCode}`)
    const written = await readFile(file, 'utf8').then(
      text => JSON.parse(text) as DevFile,
      () => null,
    )
    if (written !== null && (await listTokens(written.url)).length >= LEAST_TOKENS) return written
    await pause(500)
  }
  throw new Error(`npm run dev served fewer than ${LEAST_TOKENS} tokens after ${START_TIMEOUT_MS / 1_000} s`)
}

async function readDeployment(launchpadsFile: string): Promise<Surroundings['deployment']> {
  const { weth, launchpads } = JSON.parse(await readFile(launchpadsFile, 'utf8')) as {
    readonly weth: Address
    readonly launchpads: readonly [{ readonly factory: Address; readonly startBlock: number }]
  }
  return { chainId: CHAIN_ID, weth, launchpad: launchpads[0].factory, startBlock: launchpads[0].startBlock }
}

async function readIndexedBlock(url: string): Promise<number> {
  const health = (await (await fetch(`${url}/api/indexer/health`)).json()) as { readonly indexedBlock: string }
  return Number(health.indexedBlock)
}

async function listTokens(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/tokens?sort=trades24h&limit=${LEAST_TOKENS}`)
  const { data } = (await response.json()) as { readonly data: readonly { readonly address: string }[] }
  return data.map(({ address }) => address)
}
