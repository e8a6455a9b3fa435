import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { IndexerHealth } from '#domain/health.ts'
import type { TestChain } from './chain.ts'

/** `npm start` as a process of its own. */
export interface Service {
  readonly url: string
  readonly databaseUrl: string
  readonly process: ChildProcess
  /** Everything that it has printed so far. */
  output(): string
  /** Resolves once the block is indexed, as its health says. */
  indexed(block: number): Promise<void>
  /** Ends it as an operator does, and gives the exit code. */
  stop(): Promise<number | null>
}

export interface ServiceOptions {
  readonly env: Readonly<Record<string, string>>
}

/** Starts the service and waits until it listens. */
export async function startService({ env }: ServiceOptions): Promise<Service> {
  const child = spawnService(env)
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

/** Starts the process and waits for nothing: for starts that fail. */
export function spawnService(env: Readonly<Record<string, string>>, cwd = process.cwd()): SpawnedService {
  const main = path.join(process.cwd(), 'src/main.ts')
  const child = spawn(process.execPath, [main], { cwd, env: { ...inheritedEnv(), ...env }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (output += String(chunk)))
  const exited = new Promise<number | null>(resolve => void child.once('close', code => resolve(code)))
  return { process: child, exited, output: () => output }
}

/** What a process needs from its surroundings, without the settings of whoever runs the tests. */
function inheritedEnv(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env
  // No test asks the world for anything.
  return { PATH, HOME, METADATA_FETCH: 'false', ...(TMPDIR === undefined ? {} : { TMPDIR }) }
}

/** A folder of its own with a `launchpads.json` of the chain's reference launchpad; `remove` deletes it. */
export async function serviceFolder(
  chain: TestChain,
): Promise<{ readonly folder: string; readonly launchpadsFile: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tokenwire-service-'))
  const launchpadsFile = path.join(folder, 'launchpads.json')
  const { weth, launchpad, startBlock } = chain.deployment
  const launchpads = [{ name: 'reference', adapter: 'bonding-curve', factory: launchpad, startBlock }]
  await writeFile(launchpadsFile, JSON.stringify({ weth, launchpads }))
  return { folder, launchpadsFile, remove: () => rm(folder, { recursive: true, force: true }) }
}
