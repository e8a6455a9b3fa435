import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Watchdog } from './startWatchdog.ts'

const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 3_000
const STDERR_KEPT = 2_000

export interface AnvilOptions {
  /** Default 0: any free port. */
  readonly port?: number
  /** Default 31337. */
  readonly chainId?: number
  /** Number of unlocked accounts with 10,000 ETH each. Default 10. */
  readonly accounts?: number
  /** Time between blocks. `null` (the default): a block is mined only on request. */
  readonly blockTimeMs?: number | null
  /** When the genesis block was mined, in Unix seconds. Default: now. */
  readonly timestamp?: number
  /** Number of past blocks whose state can be read; each is a copy of all accounts. Default 128. */
  readonly keptStates?: number
  /** The newest fork whose rules hold: `london`. Default: anvil's. */
  readonly hardfork?: string
  /** `optimism`: a chain with the OP Stack's deposits. Default: Ethereum. */
  readonly network?: 'optimism'
  /** Ends anvil when this process dies without stopping it. */
  readonly watchdog?: Watchdog
}

/** A running anvil that listens on 127.0.0.1 only. */
export interface Anvil {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Resolves when the process has ended for any reason. */
  readonly exited: Promise<void>
  /** Asks the process to end, then kills it. Resolves when it has ended. Can be called again. */
  stop(): Promise<void>
}

type AnvilProcess = ChildProcessByStdio<null, Readable, Readable>

/**
 * Starts anvil from its npm package and resolves as soon as it listens.
 *
 * @throws `Error` with the output of anvil when it does not start, for example because the port is in use
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  // The binary itself, because the package's wrapper script leaves anvil running when it is killed.
  // With a watchdog it has its own process group: Ctrl-C would end it before the processes that still use it.
  const detached = options.watchdog !== undefined
  const child = spawn(anvilBinary(), argumentsOf(options), { stdio: ['ignore', 'pipe', 'pipe'], detached })
  const exited = new Promise<void>(resolve => void child.once('close', () => resolve()))
  const { pid } = child
  const { watchdog } = options
  if (pid !== undefined) {
    watchdog?.watch(pid)
    child.once('exit', () => watchdog?.forget(pid))
  }
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    const hard = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await exited
    clearTimeout(hard)
  }
  try {
    const port = await listeningPort(child)
    if (pid === undefined) throw new Error('anvil has no process id')
    return { url: `http://127.0.0.1:${port}`, port, pid, exited, stop }
  } catch (error) {
    if (pid !== undefined) await stop()
    throw error
  }
}

function argumentsOf(options: AnvilOptions): string[] {
  const { port = 0, chainId = 31337, accounts = 10, blockTimeMs = null, timestamp, keptStates = 128, hardfork, network } = options
  const flags = {
    '--host': '127.0.0.1',
    '--port': port,
    '--chain-id': chainId,
    '--accounts': accounts,
    '--gas-limit': 120_000_000,
    '--order': 'fifo',
    '--prune-history': keptStates,
    '--color': 'never',
    ...(hardfork !== undefined && { '--hardfork': hardfork }),
    ...(network !== undefined && { '--network': network }),
    ...(timestamp === undefined ? {} : { '--timestamp': timestamp }),
    ...(blockTimeMs === null ? {} : { '--block-time': blockTimeMs / 1_000 }),
  }
  return [...Object.entries(flags).flat().map(String), ...(blockTimeMs === null ? ['--no-mining'] : [])]
}

/** @throws `Error` when the platform's package is not installed */
function anvilBinary(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const system = process.platform === 'win32' ? 'win32' : process.platform
  const file = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'))
  return require.resolve(`@foundry-rs/anvil-${system}-${architecture}/bin/${file}`)
}

/** Reads the port from anvil's output. The rest is read and dropped, because a full pipe would block anvil. */
function listeningPort(child: AnvilProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-STDERR_KEPT)
  })
  const timer = setTimeout(() => reject(new Error(`anvil did not listen within ${START_TIMEOUT_MS} ms: ${complaint}`)), START_TIMEOUT_MS)
  child.once('error', error => reject(new Error('cannot start anvil', { cause: error })))
  child.once('close', code => reject(new Error(`anvil ended with ${code ?? 'a signal'} before it listened: ${complaint.trim()}`)))
  const lines = createInterface({ input: child.stdout })
  lines.on('line', line => {
    const port = /^Listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1]
    if (port === undefined) return
    lines.close()
    child.stdout.resume()
    resolve(Number(port))
  })
  return promise.finally(() => clearTimeout(timer))
}
