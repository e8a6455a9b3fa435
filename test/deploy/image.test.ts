import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { freePort } from '#test/support/freePort.ts'
import { commandOf, descendants } from '#test/support/processes.ts'
import { type ServiceFolder, serviceFolder } from '#test/support/service.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '#test/support/temporaryFolder.ts'
import { BASE, Buildah } from './buildah.ts'

const IMAGE = 'tokenwire:test'
/** MB of the image above its base: it has one of the 24 socket binaries, and no development package. */
const MOST_MB = 25

const COMMAND = ['node', '/app/dist/service/main.js']
const ROLES: readonly Readonly<Record<string, string>>[] = [
  { ROLE: 'indexer', STANDBY: 'true' },
  { ROLE: 'indexer', STANDBY: 'true' },
  { ROLE: 'gateway', RPC_URLS: '' },
]

const program = findProgram({ names: ['buildah'], aptPackage: 'buildah' })
const isRoot = process.getuid?.() === 0
if (program !== null && !isRoot)
  process.stderr.write('\n!!! SKIPPED: building images here needs root. The image is NOT proved by this run.\n\n')

test('the image is built from the one base that the Dockerfile names', async () => {
  const text = await readFile('Dockerfile', 'utf8')
  expect(text).toContain(`ARG BASE=${BASE}\n`)
  expect(text.match(/^FROM .*$/gm)?.every(line => line.startsWith('FROM ${BASE}'))).toBe(true)
})

describe.runIf(program !== null && isRoot)('the image', () => {
  const database = useDatabase({ migrated: false })
  let folder: TemporaryFolder
  let buildah: Buildah
  let chain: TestChain
  let service: ServiceFolder
  let container: string

  beforeAll(async () => {
    folder = await makeTemporaryFolder()
    buildah = new Buildah(program ?? '', folder.path)
    await buildah.makeBase()
    await buildah.build(IMAGE, `${folder.path}/context`)
    container = await buildah.do('from', '--pull-never', IMAGE)
    chain = await startTestChain()
    service = await serviceFolder(chain)
    execFileSync('chmod', ['-R', 'a+rX', service.folder])
  })

  const run = (...command: readonly string[]) => buildah.do('run', '--isolation', 'chroot', container, '--', ...command)

  test('has its labels, its health check and its signal, and runs as nobody in particular', async () => {
    const { Docker } = JSON.parse(await buildah.do('inspect', '--type', 'image', IMAGE)) as { Docker: { config: Record<string, unknown> } }
    expect(Docker.config).toMatchObject({
      User: '65532:65532',
      StopSignal: 'SIGTERM',
      Entrypoint: ['node', '/app/dist/service/main.js'],
      Healthcheck: { Test: ['CMD', 'node', '/app/healthCheck.mjs'] },
      Labels: { 'org.opencontainers.image.licenses': 'MIT', 'org.opencontainers.image.title': 'Tokenwire' },
    })
    expect(Docker.config['Labels']).toHaveProperty(
      ['org.opencontainers.image.version'],
      JSON.parse(await readFile('package.json', 'utf8')).version,
    )
  })

  test('has no development package, one socket binary, and nothing that its user could write', async () => {
    expect(
      await run(
        'find',
        '/app/node_modules',
        '-maxdepth',
        '1',
        '(',
        '-name',
        'vitest',
        '-o',
        '-name',
        'typescript',
        '-o',
        '-name',
        'solc',
        ')',
      ),
    ).toBe('')
    expect((await run('find', '/app/node_modules', '-name', '*.node')).split('\n')).toHaveLength(1)
    expect(
      await run(
        'find',
        '/',
        '-xdev',
        '-writable',
        '!',
        '-type',
        'l',
        '!',
        '-path',
        '/proc/*',
        '!',
        '-path',
        '/sys/*',
        '!',
        '-path',
        '/dev/*',
      ),
    ).toBe('')
    const sizes = JSON.parse(await buildah.do('images', '--json')) as { names: string[]; size: string }[]
    const megabytes = (name: string) => Number.parseFloat(sizes.find(({ names }) => names.some(one => one.endsWith(name)))?.size ?? '')
    const own = megabytes(IMAGE) - megabytes(BASE)
    process.stdout.write(`the image adds ${own.toFixed(1)} MB to its base\n`)
    expect(own).toBeLessThan(MOST_MB)
  })

  const environment = (settings: Readonly<Record<string, string>>) =>
    Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`])

  /** One more container of the image. Resolves when it serves. */
  async function start(settings: Readonly<Record<string, string>>) {
    const one = await buildah.do('from', '--pull-never', IMAGE)
    const startedAtMs = performance.now()
    const started = buildah.start(...environment(settings), '--volume', `${service.folder}:/config:ro`, one, '--', ...COMMAND)
    let output = ''
    for (const stream of [started.stdout, started.stderr]) stream.on('data', chunk => (output += String(chunk)))
    const exited = once(started, 'exit')
    const pidOf = () => descendants(started.pid ?? 0).find(pid => commandOf(pid) === `/usr/bin/${COMMAND.join(' ')}`)
    onTestFinished(() => {
      const left = pidOf()
      if (left !== undefined) process.kill(left, 'SIGKILL')
    })
    while (!output.includes('"msg":"serving"')) {
      if (started.exitCode !== null) expect.fail(output)
      await pause(50)
    }
    const startMs = performance.now() - startedAtMs
    const stop = async () => {
      process.kill(pidOf() ?? Number.NaN, 'SIGTERM')
      expect(await exited).toEqual([0, null])
      expect(output).toContain('"msg":"stopped"')
    }
    return { pid: pidOf(), startMs, stop }
  }

  test('serves in each role as its user, is found healthy, and stops by SIGTERM with 0', async () => {
    const { url } = await database
    const shared = { ...service.env, DATABASE_URL: url, LAUNCHPADS_FILE: '/config/launchpads.json', DATA_DIR: '/data' }
    const check = [...environment(shared), '--volume', `${service.folder}:/config:ro`, container, '--', ...COMMAND, 'check']
    expect(await buildah.do('run', '--isolation', 'chroot', ...check)).toMatch(/^ok {7}settings/)
    const port = await freePort(4)
    const isHealthy = (at: number) =>
      buildah.do('run', '--isolation', 'chroot', '--env', `PORT=${at}`, container, '--', 'node', '/app/healthCheck.mjs').then(
        () => true,
        () => false,
      )
    expect(await isHealthy(port)).toBe(false)
    const running = []
    for (const [index, role] of ROLES.entries()) {
      const at = port + index
      const started = await start({ ...shared, ...role, PORT: String(at) })
      expect(await isHealthy(at)).toBe(true)
      expect(execFileSync('ps', ['-o', 'uid=', '-p', String(started.pid)], { encoding: 'utf8' }).trim()).toBe('65532')
      running.push(started)
    }
    expect(await (await fetch(`http://127.0.0.1:${port + 2}/api/tokens`)).json()).toMatchObject({ data: [] })
    expect((await fetch(`http://127.0.0.1:${port + 2}/`)).headers.get('content-type')).toContain('text/html')
    for (const name of ['openapi.json', 'docs/renderer.js']) expect((await fetch(`http://127.0.0.1:${port + 2}/${name}`)).status).toBe(200)
    process.stdout.write(`starts of the image: ${running.map(({ startMs }) => Math.round(startMs)).join(', ')} ms\n`)
    for (const { stop } of running.toReversed()) await stop()
  })
})
