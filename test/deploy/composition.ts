import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { certificate, certificateKey } from '#test/support/certificate.ts'
import type { TestChain } from '#test/support/chain.ts'
import { eventually } from '#test/support/eventually.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { freePort } from '#test/support/freePort.ts'
import { type SpawnedService, serviceFolder, spawnService } from '#test/support/service.ts'
import { FILLED, isOurs, readComposed } from './composeFile.ts'

const run = promisify(execFile)

/** What compose's images contain, on this machine. */
export const PROGRAMS = {
  nats: findProgram({ names: ['nats-server'], aptPackage: 'nats-server' }),
  proxy: findProgram({ names: ['caddy'], aptPackage: 'caddy' }),
  prometheus: findProgram({ names: ['prometheus'], aptPackage: 'prometheus' }),
}

/** The services of `compose.yaml` as processes on loopback: same commands, environment and order. Only addresses and paths differ. */
export interface Composition {
  readonly proxyUrl: string
  readonly operatorToken: string
  /** Asks Prometheus, such as `query?query=up`. */
  prometheus<T>(path: string): Promise<T>
  kill(service: string): Promise<void>
  /** What the process has written. */
  output(service: string): string
  stop(): Promise<void>
}

export async function startComposition(chain: TestChain, databaseUrl: string): Promise<Composition> {
  const folder = await serviceFolder(chain)
  const { services } = readComposed({ ...FILLED, CHAIN_ID: '31337', RPC_URLS: chain.anvil.url })
  const ours = Object.keys(services).filter(name => isOurs(services[name] ?? { image: '' }))
  const firstPort = await freePort(ours.length + 3)
  const ports = new Map([...ours, 'nats', 'proxy', 'prometheus'].map((name, index) => [name, firstPort + index]))
  const portOf = (name: string) => ports.get(name) ?? 0
  const addressed = (text: string) =>
    text.replaceAll(/\b([a-z][a-z\d-]*):(?:3000|4222)\b/g, (_, name: string) => `127.0.0.1:${portOf(name)}`)
  const running = new Map<string, SpawnedService>()
  const stop = async () => {
    for (const { process: child, exited } of running.values()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await exited
    }
    await folder.remove()
  }
  const startProgram = (name: keyof typeof PROGRAMS, args: readonly string[]) => {
    const env = { PATH: process.env['PATH'], HOME: path.join(folder.folder, 'home') }
    running.set(name, withOutput(spawn(PROGRAMS[name] ?? '', args, { stdio: ['ignore', 'pipe', 'pipe'], env, cwd: folder.folder })))
  }
  /** As the file says, when what it depends on is healthy. */
  const startOurs = async (name: string) => {
    const { environment = {} } = services[name] ?? {}
    const settings = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, addressed(String(value))]))
    const place = { DATABASE_URL: databaseUrl, DATA_DIR: folder.folder, PORT: String(portOf(name)), METADATA_FETCH: 'false' }
    const prices = { COINGECKO_URL: folder.env['COINGECKO_URL'] ?? '', COINBASE_URL: folder.env['COINBASE_URL'] ?? '' }
    running.set(name, spawnService({ ...settings, ...prices, ...place }, folder.folder))
    await eventually(async () => {
      await run(process.execPath, ['deploy/healthCheck.mjs'], { env: { PORT: String(portOf(name)) } })
    })
  }
  try {
    await mkdir(path.join(folder.folder, 'home'))
    const natsCommand = services['nats']?.command ?? []
    startProgram('nats', [...natsCommand, '--addr', '127.0.0.1', '--port', String(portOf('nats'))])
    await startOurs('indexer')
    await Promise.all(ours.filter(name => name !== 'indexer').map(startOurs))
    startProgram('proxy', await caddyArguments(folder.folder, portOf('proxy'), addressed))
    startProgram('prometheus', await prometheusArguments(folder.folder, portOf('prometheus'), addressed))
    const proxyUrl = `https://localhost:${portOf('proxy')}`
    const prometheus = async <T>(query: string) => {
      const answer = await fetch(`http://127.0.0.1:${portOf('prometheus')}/api/v1/${query}`)
      return ((await answer.json()) as { readonly data: T }).data
    }
    await eventually(async () => (await fetch(`${proxyUrl}/readyz`)).ok, { interval: 50 })
    return {
      proxyUrl,
      operatorToken: FILLED['OPERATOR_TOKEN'] ?? '',
      prometheus,
      kill: async name => {
        running.get(name)?.process.kill('SIGKILL')
        await running.get(name)?.exited
      },
      output: name => running.get(name)?.output() ?? '',
      stop,
    }
  } catch (error) {
    const outputs = [...running].map(([name, { output }]) => `${name}: ${output().slice(-2_000)}`)
    await stop()
    throw new Error(outputs.join('\n'), { cause: error })
  }
}

function withOutput(child: ChildProcess): SpawnedService {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (output += String(chunk)))
  return { process: child, exited: once(child, 'exit').then(([code]) => code as number | null), output: () => output }
}

async function caddyArguments(folder: string, port: number, addressed: (text: string) => string): Promise<readonly string[]> {
  const site = `{\nadmin off\nauto_https disable_redirects\n}\nhttps://localhost:${port} {\ntls ${folder}/tokenwire.crt ${folder}/tokenwire.key\n`
  await writeFile(`${folder}/tokenwire.crt`, `${certificate}\n`)
  await writeFile(`${folder}/tokenwire.key`, `${certificateKey}\n`)
  const text = await readFile('deploy/proxies/Caddyfile', 'utf8')
  await writeFile(`${folder}/Caddyfile`, addressed(text.replace('{$SITE_ADDRESS:localhost} {\n', site)))
  return ['run', '--adapter', 'caddyfile', '--config', `${folder}/Caddyfile`]
}

/** Asks every second, so that a test waits less. */
async function prometheusArguments(folder: string, port: number, addressed: (text: string) => string): Promise<readonly string[]> {
  await writeFile(`${folder}/operator_token`, FILLED['OPERATOR_TOKEN'] ?? '')
  const text = (await readFile('deploy/watching/prometheus.yml', 'utf8'))
    .replaceAll(': 15s', ': 1s')
    .replace('/run/secrets/operator_token', `${folder}/operator_token`)
    .replace('/etc/prometheus/alerts.yml', path.resolve('deploy/watching/alerts.yml'))
  await writeFile(`${folder}/prometheus.yml`, addressed(text))
  const options = {
    'config.file': `${folder}/prometheus.yml`,
    'storage.tsdb.path': `${folder}/metrics`,
    'web.listen-address': `127.0.0.1:${port}`,
  }
  return Object.entries(options).map(([name, value]) => `--${name}=${value}`)
}
