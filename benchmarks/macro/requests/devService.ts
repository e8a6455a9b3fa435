import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const START_TIMEOUT_MS = 180_000
/** Pages of the lists that are asked for are full then. */
const LEAST_TOKENS = 50

/** `npm run dev` of a checkout: the same seeded market, with a block a second. */
export interface DevService {
  readonly url: string
  /** The token with the most trades, and what its routes answer to. */
  readonly hotToken: string
  readonly tokens: readonly string[]
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
    const url = await servedAt(child, path.join(dataDir, 'dev.json'))
    const tokens = await listTokens(url)
    return { url, tokens, hotToken: tokens[0] ?? '', stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function servedAt(child: ChildProcess, file: string): Promise<string> {
  for (let waited = 0; waited < START_TIMEOUT_MS; waited += 500) {
    if (child.exitCode !== null) throw new Error(`npm run dev ended with ${child.exitCode}`)
    const url = await readFile(file, 'utf8').then(
      text => (JSON.parse(text) as { readonly url: string }).url,
      () => null,
    )
    if (url !== null && (await listTokens(url)).length >= LEAST_TOKENS) return url
    await pause(500)
  }
  throw new Error(`npm run dev served fewer than ${LEAST_TOKENS} tokens after ${START_TIMEOUT_MS / 1_000} s`)
}

async function listTokens(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/tokens?sort=trades24h&limit=${LEAST_TOKENS}`)
  const { data } = (await response.json()) as { readonly data: readonly { readonly address: string }[] }
  return data.map(({ address }) => address)
}
