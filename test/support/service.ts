import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { IndexerHealth } from '#resources/health.ts'
import type { TestChain } from './chain.ts'
import { closedAfterFile } from './closeAfterFile.ts'
import { POLL_LIMIT_MS } from './limits.ts'

type Env = Readonly<Record<string, string>>

/** The service as a process of its own. */
export interface Service {
  readonly url: string
  readonly databaseUrl: string
  readonly process: ChildProcess
  /** Its output so far. */
  output(): string
  /** What a route answers in JSON, whatever its status. */
  get<T>(path: string): Promise<T>
  /** Resolves once its health reports the block as indexed. */
  indexed(block: number): Promise<void>
  /** Stops it by SIGTERM. Resolves with the exit code. */
  stop(): Promise<number | null>
}

/** A folder for services on a test's chain, with its `launchpads.json`. It is removed at the end of the test file. */
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
  /** Also ends the services that still run. */
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
  const running: (() => Promise<unknown>)[] = []
  return {
    folder,
    env,
    start: async (more, main = BUNDLE) => {
      const service = await startService({ ...env, ...more }, main)
      // SIGTERM also ends an embedded PostgreSQL, which SIGKILL would leave behind.
      running.push(() => end(service, more?.['DATABASE_URL'] === undefined ? 'SIGTERM' : 'SIGKILL'))
      return service
    },
    remove: closedAfterFile(async () => {
      await Promise.all(running.map(end => end()))
      await rm(folder, { recursive: true, force: true })
    }),
  }
}

async function end({ process: child }: Service, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'close')
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
    const fail = (what: string) => reject(new Error(`the service ${what}:\n${child.output()}`))
    void child.exited.then(code => fail(`ended with ${code}`))
    setTimeout(fail, POLL_LIMIT_MS, 'does not listen').unref()
  })
  const get = async <T>(route: string) => (await (await fetch(url + route)).json()) as T
  return {
    url,
    databaseUrl,
    get,
    process: child.process,
    output: child.output,
    indexed: async block => {
      while (Number((await get<IndexerHealth>('/api/indexer/health')).indexedBlock ?? -1) < block) await pause(20)
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
