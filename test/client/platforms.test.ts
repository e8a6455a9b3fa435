import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { build, createServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { type PackedClient, packClient, run } from './packedClient.ts'

const TOKEN = addressOf(1)

/** The packed client in other people's tools, which `platforms/package.json` pins. */
describe.skipIf(!(await isRegistryThere()))('the packed client', () => {
  it.concurrent.each([
    ['Jest', 'jest/bin/jest.js', '--rootDir', 'jest', '--ci'],
    ['Vitest', 'vitest/vitest.mjs', 'run', '--globals', '--root', '.', 'vitest.test.js'],
  ])('is loaded by %s', async (_, runner, ...args) => {
    const env = { ...environment(), NO_COLOR: '1', FORCE_COLOR: '0' }
    const { stdout, stderr } = await run(process.execPath, [bin(runner), ...args], { cwd: project, env })
    expect(stdout + stderr).toMatch(/Tests:?\s+\d passed/)
  })

  it.concurrent('is loaded by Bun', () => expectUse(bin('@oven/bun-linux-x64/bin/bun'), ['print.mjs']))

  it.concurrent('is loaded by Deno', () => expectUse(bin('@deno/linux-x64-glibc/deno'), ['run', '--allow-all', '--no-lock', 'print.mjs']))

  it.concurrent('is loaded by Node as CommonJS', () =>
    expectUse(process.execPath, ['-e', 'require("./use.cjs")().then(used => console.log(JSON.stringify(used)))']))

  it('is loaded by Vite for a server, in development and built', async () => {
    const outDir = path.join(project, 'dist-ssr')
    const entry = { root: project, logLevel: 'error', configFile: false, ssr: { noExternal: true } } as const
    await build({ ...entry, build: { ssr: 'print.mjs', outDir } })
    await expectUse(process.execPath, [path.join(outDir, 'print.mjs')])
    const server = await createServer({ ...entry, server: { middlewareMode: true, ws: false }, appType: 'custom' })
    Object.assign(process.env, environment())
    try {
      const { use } = (await server.ssrLoadModule('/use.mjs')) as { use(): Promise<unknown> }
      expect(await use()).toEqual(['Alpha', 'Alpha', 'begin'])
    } finally {
      await server.close()
    }
  })

  // The client is made in the worker's global scope, where random numbers, timers and requests are forbidden, and serves all requests.
  it('is kept by a Cloudflare worker, also where one request can’t wake another', async () => {
    const folder = path.join(project, 'workers')
    await cp(path.join(packed.package, 'index.js'), path.join(folder, 'client.js'))
    const worker = await readFile(path.join(folder, 'worker.js'), 'utf8')
    await writeFile(
      path.join(folder, 'worker.js'),
      worker.replace("'SERVICE'", `'${fixture.gateway.url}'`).replace("'TOKEN'", `'${TOKEN}'`),
    )
    const workerd = start(bin('@cloudflare/workerd-linux-64/bin/workerd'), ['serve', 'config.capnp', '--control-fd=3'], folder)
    const ports: number[] = []
    for await (const line of createInterface(workerd.stdio[3] as Readable)) {
      const { event, port } = JSON.parse(line) as { event: string; port: number }
      if (event === 'listen') ports.push(port)
      if (ports.length === 2) break
    }
    for (const port of ports) {
      const ask = async (at: string) => (await fetch(`http://127.0.0.1:${port}${at}`)).text()
      const all = JSON.stringify(Array(12).fill('Alpha'))
      expect(await ask('/')).toBe(all)
      expect(await ask('/left')).toBe('left')
      expect(await ask('/')).toBe(all)
      expect(await Promise.all(['/', '/', '/left', '/', '/'].map(ask))).toEqual([all, all, 'left', all, all])
    }
  })

  // Next.js 13 and 14 keep the answers of `fetch` for ever, and 15 renders a page once whose requests are not cached.
  it.each(['next14', 'next15'])('answers in %s with what the service has now', async name => {
    const folder = path.join(project, name)
    const next = path.join(await nextOf(folder), 'dist/bin/next')
    await cp(path.join(project, 'app'), path.join(folder, 'app'), { recursive: true })
    const env = { ...environment(), NEXT_TELEMETRY_DISABLED: '1' }
    await run(process.execPath, [next, 'build'], { cwd: folder, env })
    const server = start(process.execPath, [next, 'start', '--port', '0', '--hostname', '127.0.0.1'], folder, env)
    let url = ''
    for await (const line of createInterface(server.stdout as Readable)) {
      url = /http:\/\/[\w.]+:\d+/.exec(line)?.[0] ?? ''
      if (url !== '') break
    }
    const text = async (at: string) => (await fetch(url + at)).text()
    for (const now of ['Beta', 'Gamma', 'Alpha']) {
      tell(now)
      const page = await text('/')
      expect([page.includes(`server: ${now}`), page.includes(`browser: ${now}`), page.includes('hooks: true')]).toEqual([true, true, true])
      expect(await text('/name')).toBe(now)
    }
  })
})

let packed: PackedClient
let fixture: RealtimeFixture
let project: string
const started: ChildProcess[] = []

beforeAll(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'tokenwire-platforms-'))
  const installed = path.join(project, 'node_modules')
  await cp('test/client/platforms', project, { recursive: true })
  ;[packed, fixture] = await Promise.all([
    packClient(),
    RealtimeFixture.start({ maxConnectionsPerIp: 100, rateLimitPerMinute: 100_000 }),
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: project }),
  ])
  await cp(packed.package, path.join(installed, 'tokenwire'), { recursive: true })
  await mkdir(installed, { recursive: true })
  for (const name of ['rxjs', 'vitest']) await symlink(path.resolve('node_modules', name), path.join(installed, name))
  tell('Alpha')
})

afterAll(async () => {
  for (const one of started) one.kill('SIGKILL')
  await fixture?.stop()
  await packed?.remove()
  if (project !== undefined) await rm(project, { recursive: true, force: true })
})

/** @throws where `CI` is set: there the registry is reachable */
async function isRegistryThere(): Promise<boolean> {
  try {
    await run('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=20000'])
    return true
  } catch (error) {
    if ((process.env['CI'] ?? '') !== '') throw error
    process.stderr.write(
      '\n!!! SKIPPED: no npm registry answers.\n!!! That other tools load the packed client is NOT proved by this run.\n\n',
    )
    return false
  }
}

/** Gives the token another name, over REST and every connection. */
function tell(name: string): void {
  const snapshot = fixture.store(TOKEN, 1, { name })
  fixture.show(snapshot)
}

function bin(file: string): string {
  return path.join(project, 'node_modules', file)
}

/** npm installs one of the two versions in the project and the other one in its workspace. */
async function nextOf(folder: string): Promise<string> {
  const own = path.join(folder, 'node_modules/next')
  return readFile(path.join(own, 'package.json')).then(
    () => own,
    () => bin('next'),
  )
}

function environment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, NODE_ENV: __, VITEST: ___, ...inherited } = process.env
  return { ...inherited, SERVICE: fixture.gateway.url, TOKEN, NAME: 'Alpha' }
}

async function expectUse(program: string, args: readonly string[]): Promise<void> {
  const { stdout } = await run(program, args, { cwd: project, env: environment() })
  expect(JSON.parse(stdout)).toEqual(['Alpha', 'Alpha', 'begin'])
}

function start(program: string, args: readonly string[], cwd: string, env = environment()): ChildProcess {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit', 'pipe'] })
  started.push(child)
  return child
}
