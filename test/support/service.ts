import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { IndexerHealth } from '#resources/health.ts'
import type { TestChain } from './chain.ts'

type Env = Readonly<Record<string, string>>

/** The service as a process of its own. */
export interface Service {
  readonly url: string
  readonly databaseUrl: string
  readonly process: ChildProcess
  /** Its output so far. */
  output(): string
  /** Resolves once its health reports the block as indexed. */
  indexed(block: number): Promise<void>
  /** Stops it by SIGTERM. Resolves with the exit code. */
  stop(): Promise<number | null>
}

/** A folder for services on a test's chain, with its `launchpads.json`. */
export interface ServiceFolder {
  readonly folder: string
  /** Settings of a service that follows the chain's head without limits, and without USD prices: no provider of them answers. */
  readonly env: Env
  /**
   * Starts a service with `env` and these settings, and waits until it listens. Without `DATABASE_URL`: on its embedded PostgreSQL.
   *
   * @param main the script; default: the bundle, which starts with a third of the processor time of the sources
   */
  start(env?: Env, main?: string): Promise<Service>
  remove(): Promise<void>
}

const BUNDLE = 'dist/service/main.js'

const UNREACHABLE = 'http://127.0.0.1:9'

export interface ServiceFolderOptions {
  /** What is in `launchpads.json`. Default: the reference launchpad. */
  readonly launchpads?: string
}

export async function serviceFolder(
  chain: TestChain,
  { launchpads = fileOfReference(chain) }: ServiceFolderOptions = {},
): Promise<ServiceFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tokenwire-service-'))
  const launchpadsFile = path.join(folder, 'launchpads.json')
  await writeFile(launchpadsFile, launchpads)
  const env = {
    RPC_URLS: chain.anvil.url,
    LAUNCHPADS_FILE: launchpadsFile,
    DATA_DIR: folder,
    PORT: '0',
    CONFIRMATIONS: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    COINGECKO_URL: UNREACHABLE,
    COINBASE_URL: UNREACHABLE,
  }
  return {
    folder,
    env,
    start: (more, main = BUNDLE) => startService({ ...env, ...more }, main),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

function fileOfReference({ deployment }: TestChain): string {
  const { weth, launchpad, startBlock } = deployment
  return JSON.stringify({ weth, launchpads: [{ name: 'reference', adapter: 'bonding-curve', factory: launchpad, startBlock }] })
}

/** Starts the service with exactly this environment, and waits until it listens. */
export async function startService(env: Env, main: string = BUNDLE): Promise<Service> {
  const child = spawnService(env, process.cwd(), main)
  const { url, databaseUrl } = await new Promise<{ url: string; databaseUrl: string }>((resolve, reject) => {
    child.process.on('message', message => {
      const told = message as { type: string; url: string; databaseUrl: string }
      if (told.type === 'listening') resolve(told)
    })
    void child.exited.then(code => reject(new Error(`the service ended with ${code}:\n${child.output()}`)))
  })
  return {
    url,
    databaseUrl,
    process: child.process,
    output: child.output,
    indexed: async block => {
      const indexedBlock = async () => ((await (await fetch(`${url}/api/indexer/health`)).json()) as IndexerHealth).indexedBlock
      while (Number((await indexedBlock()) ?? -1) < block) await pause(20)
    },
    stop: () => {
      child.process.kill('SIGTERM')
      return child.exited
    },
  }
}

export interface SpawnedService {
  readonly process: ChildProcess
  readonly exited: Promise<number | null>
  output(): string
}

/** Starts the process without waiting: for starts that fail. */
export function spawnService(env: Env, cwd = process.cwd(), main: string = BUNDLE): SpawnedService {
  const child = spawn(process.execPath, [path.resolve(main)], {
    cwd,
    env: { ...inheritedEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (output += String(chunk)))
  const exited = new Promise<number | null>(resolve => void child.once('close', code => resolve(code)))
  return { process: child, exited, output: () => output }
}

/** What a process needs from its surroundings, without the settings of the machine. No test asks the internet for anything. */
function inheritedEnv(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR, NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, METADATA_FETCH: 'false', ...(TMPDIR && { TMPDIR }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
}
