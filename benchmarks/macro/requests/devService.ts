import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Surroundings } from '#benchmarks/macro/backfill/arms.ts'
import { treeCpuMs } from '#benchmarks/macro/backfill/processUsage.ts'
import type { Address } from '#domain/address.ts'
import { layoutOf } from '#store/embedded/layout.ts'

const CHAIN_ID = 31337
const START_TIMEOUT_MS = 180_000
/** Pages of the lists that are asked for are full then. */
const MIN_TOKENS = 50
const IDLE_MS = 4_000

/** `npm run dev` of a checkout: the same seeded market, with a block a second. */
export interface DevService extends Surroundings {
  readonly url: string
  /** The token with the most trades, and what its routes answer to. */
  readonly hotToken: string
  readonly tokens: readonly string[]
  indexedBlock(): Promise<number>
  /**
   * Processor time of the service with all of its threads, and of its PostgreSQL, from one call to a later one, beyond what blocks take;
   * 0 where there is no `/proc`.
   */
  cpuMs(): Promise<number>
  stop(): Promise<void>
}

export interface DevServiceOptions {
  readonly checkout: string
  readonly gatewayThreads: number
  readonly blockTimeMs: number
}

/** @throws `Error` when the service does not serve in time */
export async function startDevService({ checkout, gatewayThreads, blockTimeMs }: DevServiceOptions): Promise<DevService> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'tokenwire-requests-'))
  const child = spawn(process.execPath, ['src/devchain/dev.ts'], {
    cwd: checkout,
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: dataDir,
      PORT: '0',
      DEV_RPC_PORT: '0',
      DEV_SEED: '1',
      DEV_BLOCK_TIME_MS: String(blockTimeMs),
      GATEWAY_THREADS: String(gatewayThreads),
      RATE_LIMIT_PER_MINUTE: '0',
      // As of a proxy: one client would not be let in with hundreds of connections that have sent no request yet.
      TRUST_PROXY: '1',
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
    const processes = await findProcesses(child.pid, dataDir)
    const cpuMs = await beyondIdle(async () => (await Promise.all(processes.map(treeCpuMs))).reduce((sum, ms) => sum + ms, 0))
    return { url, ...urls, deployment, tokens, hotToken: tokens[0] ?? '', indexedBlock: () => readIndexedBlock(url), cpuMs, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The service, a child of `npm run dev`, and the first process of its PostgreSQL. */
async function findProcesses(devPid = 0, dataDir: string): Promise<readonly number[]> {
  const children = (await readIfThere(`/proc/${devPid}/task/${devPid}/children`)).trim().split(' ')
  const commands = await Promise.all(children.map(pid => readIfThere(`/proc/${pid}/cmdline`)))
  const service = children.find((_, index) => commands[index]?.includes('src/main.ts'))
  const postgres = await readIfThere(path.join(layoutOf(path.join(dataDir, 'dev')).dataFolder, 'postmaster.pid'))
  return [Number(service ?? 0), Number.parseInt(postgres, 10) || 0]
}

/** Less what is spent in the same time while nothing is asked. */
async function beyondIdle(spentMs: () => Promise<number>): Promise<() => Promise<number>> {
  // What a start leaves to be done has ended then.
  await pause(IDLE_MS)
  const [begunAtMs, spentAtBeginMs] = [performance.now(), await spentMs()]
  await pause(IDLE_MS)
  const share = ((await spentMs()) - spentAtBeginMs) / (performance.now() - begunAtMs)
  return async () => (await spentMs()) - share * performance.now()
}

function readIfThere(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
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
    if (written !== null && (await listTokens(written.url)).length >= MIN_TOKENS) return written
    await pause(500)
  }
  throw new Error(`npm run dev served fewer than ${MIN_TOKENS} tokens after ${START_TIMEOUT_MS / 1_000} s`)
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
  const response = await fetch(`${url}/api/tokens?sort=trades24h&limit=${MIN_TOKENS}`)
  const { data } = (await response.json()) as { readonly data: readonly { readonly address: string }[] }
  return data.map(({ address }) => address)
}
