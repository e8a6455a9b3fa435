import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createDevClient } from '#devchain/client.ts'
import { listeningAddress } from '#test/support/listeningAddress.ts'
import { commandOf, descendants, isRunning } from '#test/support/processes.ts'

/*
 * npm run dev with real anvil, service and PostgreSQL. The first run is killed, so the second one also shows that its remains do no harm.
 */

const SCRIPT = fileURLToPath(new URL('../../src/devchain/dev.ts', import.meta.url))
/** Each poll reads the list of all processes. */
const SELDOM = { interval: 250 }

/** Without the machine's settings. The repository's `.env` is not read, because the runs start in another folder. */
const ENVIRONMENT = { PATH: process.env['PATH'], PORT: '0', HOST: '127.0.0.1' }

/** Enough for a market with a migrated token. `traders.test.ts` has a history of the usual length. */
const SHORT = { DEV_HISTORY_BLOCKS: '60' }

interface DevFile {
  readonly url: string
  readonly rpcUrl: string
  readonly databaseUrl: string
  readonly launchpadsFile: string
}

interface Dev {
  readonly process: ChildProcess
  readonly pid: number
  readonly output: () => string
  readonly exited: Promise<unknown[]>
}

const running: Dev[] = []

const dataDir = await mkdtemp(path.join(tmpdir(), 'dev-'))
// A run that a failed test leaves would hold the folder against the next test.
afterEach(async () => {
  const left = running.splice(0)
  for (const dev of left) dev.process.kill('SIGTERM')
  await Promise.all(left.map(dev => dev.exited))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

describe('npm run dev', () => {
  it('serves a market with a history that continues, and leaves no process behind when it is killed', async () => {
    const dev = startDev(SHORT)
    const file = await served(dev)
    expect((await stat(path.join(dataDir, 'dev.json'))).mode & 0o777).toBe(0o600)
    const [, documented = ''] = /```json\n(.*?)```/s.exec(await readFile('docs/guides/development.md', 'utf8')) ?? []
    expect(Object.keys(file).sort()).toEqual(Object.keys(JSON.parse(documented) as DevFile).sort())

    // A service is ready when it is at most 30 blocks behind the chain: the newest of the history can still be missing.
    const migrated = async () => (await get(`${file.url}/api/tokens?status=migrated`)).data
    await expect.poll(async () => (await migrated()).length).toBeGreaterThan(0)
    expect(await (await fetch(file.url)).text()).toContain('<title>Tokenwire</title>')
    const client = createDevClient(file.rpcUrl)
    const before = await client.getBlockNumber()
    await expect.poll(() => client.getBlockNumber()).toBeGreaterThan(before + 2n)
    const indexed = async () => BigInt((await get(`${file.url}/api/indexer/health`)).indexedBlock ?? 0)
    await expect.poll(indexed).toBeGreaterThan(before)

    const prices = await fetch(`${file.url}/api/market/eth-usd`)
    expect(await prices.json()).toMatchObject({ source: 'simulated', price: expect.stringMatching(/^(2[89]|3[01])\d\d(\.\d+)?$/) })
    const [token] = await migrated()
    const { market } = (await (await fetch(`${file.url}/api/tokens/${token?.address}`)).json()) as { market: { priceUsd: string | null } }
    expect(Number(market.priceUsd)).toBeGreaterThan(0)

    // The metadata of simulated tokens does not exist, and is not requested.
    const attempts = async () => [
      ...(await (await fetch(`${file.url}/metrics`)).text()).matchAll(/metadata_attempts_total\{outcome="(\w+)"/g),
    ]
    const outcomes = async () => (await attempts()).map(([, outcome = '']) => outcome).toSorted()
    await expect.poll(outcomes).toEqual(['fetch_off', 'malformed', 'read'])

    const said = dev.output()
    expect(said).toContain('development chain')
    for (const url of [file.url, file.rpcUrl]) expect(said).toContain(url)
    const commands = said.split('\n').filter(line => /^ {4}(curl|npx) /.test(line))
    expect(commands).toHaveLength(3)
    const password = new URL(file.databaseUrl).password
    expect(password).not.toBe('')
    expect(said).not.toContain(password)
    for (const url of [file.url, file.rpcUrl, file.databaseUrl]) {
      expect(await listeningAddress(Number(new URL(url).port))).toBe('127.0.0.1')
    }

    const second = startDev()
    expect(await second.exited).toEqual([1, null])
    expect(second.output()).toMatch(/^DATA_DIR: another npm run dev uses /)

    const started = descendants(dev.pid)
    // watchdog, anvil, service, PostgreSQL and its workers
    expect(started.length).toBeGreaterThanOrEqual(4)
    dev.process.kill('SIGKILL')
    await dev.exited
    await expect.poll(() => started.filter(isRunning), SELDOM).toEqual([])
  })

  it('starts with a new chain after a kill, and stops with code 0 when it is asked to', async () => {
    const devFile = () => readFile(path.join(dataDir, 'dev.json'), 'utf8').catch(() => null)
    const ofKilledRun = await devFile()
    expect(ofKilledRun).not.toBeNull()
    const dev = startDev({ DEV_SEED: '2', ...SHORT })
    // The file of the killed run is removed first. If this process looks late, it may find the file of the new run.
    await until(dev, () => find(dev, 'anvil') !== undefined)
    expect(await devFile()).not.toBe(ofKilledRun)
    const file = await served(dev)
    await expect.poll(async () => (await get(`${file.url}/api/tokens`)).data.length).toBeGreaterThan(0)
    const started = descendants(dev.pid)
    dev.process.kill('SIGINT')
    expect(await dev.exited).toEqual([0, null])
    expect(started.filter(isRunning)).toEqual([])
    expect((await readdir(dataDir)).sort()).toEqual(['dev', 'launchpads.dev.json'])
  })

  it('stops cleanly while it is starting', async () => {
    const dev = startDev()
    await until(dev, () => dev.output().includes('the past day'))
    const started = descendants(dev.pid)
    expect(started.length).toBeGreaterThanOrEqual(2)
    dev.process.kill('SIGTERM')
    expect(await dev.exited).toEqual([0, null])
    expect(started.filter(isRunning)).toEqual([])
  })

  it('stops when its parent has ended', async () => {
    const script = `const { spawn } = require('node:child_process')
      const child = spawn(process.execPath, [process.argv[1]], { stdio: 'ignore' }); console.log(child.pid); setInterval(() => {}, 1000)`
    const env = { ...ENVIRONMENT, DATA_DIR: dataDir }
    const parent = spawn(process.execPath, ['-e', script, SCRIPT], { stdio: ['ignore', 'pipe', 'inherit'], cwd: dataDir, env })
    const [line] = (await once(parent.stdout, 'data')) as [Buffer]
    const pid = Number(line.toString())
    await expect.poll(() => descendants(pid).length, SELDOM).toBeGreaterThanOrEqual(2)
    const started = [pid, ...descendants(pid)]
    parent.kill('SIGKILL')
    await expect.poll(() => started.filter(isRunning), SELDOM).toEqual([])
  })

  it('ends with a message when a setting is wrong', async () => {
    const dev = startDev({ DEV_TRADES_PER_BLOCK: 'many' })
    expect(await dev.exited).toEqual([1, null])
    expect(dev.output()).toBe(
      'The development chain cannot start.\n  DEV_TRADES_PER_BLOCK: expected a whole number from 0 to 500, got "many"\n',
    )
  })

  it('ends with a message before the simulation when a setting of the service is wrong', async () => {
    const dev = startDev({ MAX_CONNECTIONS: 'all' })
    expect(await dev.exited).toEqual([1, null])
    expect(dev.output()).toMatch(/MAX_CONNECTIONS: expected a whole number/)
    expect(dev.output()).not.toContain('the past day')
  })

  it('ends with a message when its port is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const dev = startDev({ DEV_RPC_PORT: String(address !== null && typeof address === 'object' ? address.port : 0) })
    expect(await dev.exited).toEqual([1, null])
    expect(dev.output()).toMatch(/DEV_RPC_PORT: .*in use/)
    const { port } = address as { port: number }
    const another = startDev({ PORT: String(port) })
    expect(await another.exited).toEqual([1, null])
    expect(another.output()).toMatch(
      new RegExp(`^HOST 127.0.0.1, PORT ${port}: .* listens there already. Choose another port: PORT=\\d+ npm run dev\\n$`),
    )
    await new Promise(resolve => void server.close(resolve))
  })

  it('ends everything when the chain or the service ends', async () => {
    for (const { victim, once: due, message } of [
      {
        victim: 'bin/anvil',
        once: (dev: Dev) => dev.output().includes('the past day'),
        message: 'The development chain (anvil) ended unexpectedly.',
      },
      {
        victim: 'main.ts',
        once: (dev: Dev) => find(dev, 'postgres: checkpointer') !== undefined,
        message: 'The service ended unexpectedly',
      },
    ]) {
      const dev = startDev(SHORT)
      await until(dev, () => due(dev))
      const started = descendants(dev.pid)
      process.kill(find(dev, victim) ?? expect.unreachable(`there is no ${victim}`), 'SIGKILL')
      expect(await dev.exited).toEqual([1, null])
      expect(dev.output()).toContain(message)
      expect(started.filter(isRunning)).toEqual([])
    }
  })
})

function startDev(env: Readonly<Record<string, string>> = {}): Dev {
  const child = spawn(process.execPath, [SCRIPT], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: dataDir,
    env: { ...ENVIRONMENT, DATA_DIR: dataDir, DEV_BLOCK_TIME_MS: '200', CONFIRMATIONS: '1', ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const dev = { process: child, pid: child.pid ?? 0, output: () => output, exited: once(child, 'close') }
  running.push(dev)
  return dev
}

/** Waits until a condition holds, or fails with the output of a run that has ended. */
async function until(dev: Dev, holds: () => boolean): Promise<void> {
  const state = () => {
    if (holds()) return 'holds'
    return dev.process.exitCode === null ? 'not yet' : `ended with ${dev.process.exitCode}: ${dev.output()}`
  }
  await expect.poll(state, SELDOM).not.toBe('not yet')
  expect(state()).toBe('holds')
}

async function served(dev: Dev): Promise<DevFile> {
  await until(dev, () => dev.output().includes('Ctrl-C stops all of it'))
  return JSON.parse(await readFile(path.join(dataDir, 'dev.json'), 'utf8')) as DevFile
}

/** A process of the run, found by a part of its command line. */
function find(dev: Dev, part: string): number | undefined {
  return descendants(dev.pid).find(pid => commandOf(pid).includes(part))
}

async function get(url: string): Promise<{ readonly data: readonly { readonly address: string }[]; readonly indexedBlock?: string }> {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  return (await response.json()) as { data: { address: string }[] }
}
