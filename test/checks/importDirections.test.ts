import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../..')
/** Packages that only one folder may import. */
const OWNED_PACKAGES: Readonly<Record<string, string>> = { xstate: 'actors', 'uWebSockets.js': 'gateway', '@nats-io': 'bus' }
const BASE = ['domain', 'errors', 'config', 'clock', 'package', 'async']

/**
 * The import directions of the design, from the top down: worker → sync, jobs → chain → rpc; sync → index → launchpads; sync, jobs →
 * store; gateway → actors, protocol; console → client → protocol.
 */
const REACHES: Readonly<Record<string, Reach>> = {
  errors: { values: [] },
  clock: { values: [] },
  package: { values: [] },
  config: { values: ['domain'], types: ['configuration', 'resources'] },
  domain: { values: [], packages: [] },
  // What the API shows. Only types of it reach the code that indexes and the client, whose bundle has no zod.
  resources: { values: ['domain', 'async'], packages: ['zod'] },
  async: { values: ['errors'] },
  configuration: { values: BASE, types: ['launchpads'] },
  rpc: { values: BASE, types: ['resources'] },
  chain: { values: [...BASE, 'rpc'], types: ['resources'] },
  launchpads: { values: BASE, types: ['resources'] },
  tables: { values: ['domain'], packages: ['@mikro-orm'] },
  index: { values: [...BASE, 'launchpads', 'tables'], types: ['resources'] },
  store: { values: [...BASE, 'tables', 'resources'] },
  sync: { values: [...BASE, 'rpc', 'chain', 'launchpads', 'index', 'store'], types: ['tables', 'resources'] },
  jobs: { values: [...BASE, 'rpc', 'launchpads', 'store'], types: ['tables', 'resources'] },
  'jobs/webhooks': { values: [...BASE, 'jobs', 'store', 'actors', 'protocol', 'resources'] },
  worker: { values: [...BASE, 'rpc', 'chain', 'launchpads', 'sync', 'jobs', 'store', 'telemetry', 'bus', 'resources'] },
  bus: { values: [...BASE, 'store', 'resources'] },
  ethUsd: { values: BASE, types: ['resources'] },
  telemetry: { values: BASE, types: ['resources'] },
  protocol: { values: ['errors'], types: ['domain', 'resources', 'protocol/schemas'], packages: [] },
  // Not for browsers: the client and the console must not load zod.
  'protocol/schemas': { values: ['protocol', 'domain', 'resources'], packages: ['zod'] },
  actors: { values: [...BASE, 'protocol', 'resources'] },
  'gateway/listening': { values: [...BASE, 'gateway'] },
  gateway: { values: [...BASE, 'gateway/listening', 'actors', 'protocol', 'protocol/schemas', 'resources', 'telemetry'] },
  integrations: { values: [...BASE, 'gateway', 'protocol', 'protocol/schemas', 'resources'] },
  client: { values: ['protocol', 'async'], types: ['domain'], packages: [] },
  'client/rxjs': { values: ['client', 'protocol'], types: ['domain'], packages: ['rxjs'] },
  'client/react': { values: ['client', 'protocol'], types: ['domain'], packages: ['react'] },
  console: { values: ['client', 'protocol', 'async'], types: ['domain'] },
  commands: { values: [...BASE, 'configuration', 'chain', 'launchpads', 'store', 'sync', 'telemetry', 'worker', 'jobs', 'jobs/webhooks'] },
  devchain: { values: [...BASE, 'configuration', 'gateway/listening', 'launchpads', 'store', 'telemetry'], types: ['resources'] },
}
/** Composition roots: they may import everything that runs in production. */
const ROOTS = ['main', 'process']
const NOT_IN_PRODUCTION = ['client', 'console', 'devchain', 'test', 'benchmarks']

const IMPORT = /^(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]/gm

describe('the import directions', () => {
  it('hold in every file', async () => {
    const imports = [...(await importsOf('src')), ...(await importsOf('actors'))]
    expect(imports.length).toBeGreaterThan(1_000)
    const objections = imports.flatMap(one => {
      const objection = objectionTo(one)
      return objection === null ? [] : [`${one.file} imports ${one.specifier}: ${objection}`]
    })
    expect(objections).toEqual([])
  })

  it.each<readonly [string, string, boolean, boolean]>([
    ['src/store/rows/undo.ts', '#domain/block.ts', false, true],
    ['src/store/rows/undo.ts', '#index/project/project.ts', false, false],
    ['src/chain/heads.ts', '#rpc/rpc.ts', false, true],
    ['src/rpc/rpc.ts', '#chain/heads.ts', true, false],
    ['src/gateway/outbox/outbox.ts', '#store/reads/reads.ts', true, false],
    ['src/gateway/outbox/outbox.ts', 'xstate', false, false],
    ['actors/registry.ts', '#gateway/outbox.ts', true, false],
    ['src/gateway/http/routes.ts', '#integrations/udf.ts', false, false],
    ['src/client/tokenwire.ts', '#domain/token.ts', true, true],
    ['src/client/tokenwire.ts', '#domain/token.ts', false, false],
    ['src/client/tokenwire.ts', 'node:fs', false, false],
    ['src/client/tokenwire.ts', 'zod', false, false],
    ['src/client/tokenwire.ts', '#protocol/schemas/token.ts', true, false],
    ['src/console/main.tsx', '#protocol/schemas/token.ts', false, false],
    ['src/protocol/closeCodes.ts', '#protocol/schemas/token.ts', false, false],
    ['src/gateway/http/problem.ts', '#resources/problem.ts', true, true],
    ['src/process/serve.ts', '#devchain/dev.ts', false, false],
    ['src/sync/sync.ts', '../rpc/rpc.ts', false, false],
  ])('%s importing %s (type: %s) is judged right', (file, specifier, isType, isAllowed) => {
    expect(objectionTo({ file, specifier, isType }) === null).toBe(isAllowed)
  })

  it('are written down for every folder and file of src', async () => {
    const entries = await readdir(path.join(ROOT, 'src'), { withFileTypes: true })
    const places = entries.filter(entry => entry.isDirectory() || entry.name.endsWith('.ts')).map(({ name }) => name.replace(/\.ts$/, ''))
    expect([...Object.keys(REACHES), ...ROOTS]).toEqual(expect.arrayContaining(places))
  })

  it('cannot be evaded by an import expression', async () => {
    const evasions: string[] = []
    for (const top of ['src', 'actors']) {
      for (const name of await readdir(path.join(ROOT, top), { recursive: true })) {
        if (!name.endsWith('.ts')) continue
        const text = await readFile(path.join(ROOT, top, name), 'utf8')
        for (const [, specifier] of text.matchAll(/\b(?:import|require)\(\s*['"`]((?:#|\.\.?\/)[^'"`]*)/g))
          evasions.push(`${top}/${name}: ${specifier}`)
      }
    }
    // These are imported dynamically: beside the thread's start, for a command, and beside the creation of an embedded database.
    expect(evasions.toSorted()).toEqual([
      'src/bus/openNats.ts: ./natsConnection.ts',
      'src/main.ts: #process/check.ts',
      'src/main.ts: #process/run.ts',
      'src/process/run.ts: ./service.ts',
      'src/process/serve.ts: ./gatewayProcesses.ts',
      'src/process/service.ts: ./gatewayService.ts',
      'src/process/service.ts: ./indexerService.ts',
      'src/process/service.ts: ./standbyService.ts',
    ])
  })
})

/** What a folder may import besides itself: aliases of package.json without `#`. */
interface Reach {
  readonly values: readonly string[]
  /** Aliases of which only types may be imported. */
  readonly types?: readonly string[]
  /** The only packages that may be imported. Default: all but those that belong to one folder. */
  readonly packages?: readonly string[]
}

interface Import {
  readonly file: string
  readonly specifier: string
  readonly isType: boolean
}

async function importsOf(top: string): Promise<readonly Import[]> {
  const found: Import[] = []
  for (const name of await readdir(path.join(ROOT, top), { recursive: true })) {
    if (!/\.tsx?$/.test(name)) continue
    const file = path.join(top, name)
    const text = await readFile(path.join(ROOT, file), 'utf8')
    for (const [, type, specifier = ''] of text.matchAll(IMPORT)) found.push({ file, specifier, isType: type !== undefined })
  }
  return found
}

/** `src/client/rxjs.ts` → `client/rxjs` where that file has a line of its own, else `client`. */
function placeOf(file: string): string {
  const name = file.replace(/^src\//, '').replace(/\.tsx?$/, '')
  if (name in REACHES || ROOTS.includes(name)) return name
  const [top = name, folder] = name.split('/')
  return `${top}/${folder}` in REACHES ? `${top}/${folder}` : top
}

/** Why an import breaks the directions; `null` if it does not. */
function objectionTo({ file, specifier, isType }: Import): string | null {
  const place = placeOf(file)
  if (/^\.\.\/|(^|\/)main\.ts$/.test(specifier))
    return 'folders import each other through the aliases of package.json; nothing imports main.ts'
  if (specifier.startsWith('.')) return null
  const reach = REACHES[place]
  if (specifier.startsWith('#')) {
    const target = placeOf(specifier.slice(1))
    if (ROOTS.includes(place)) return NOT_IN_PRODUCTION.includes(target) ? `${target} does not run in production` : null
    if (reach === undefined) return `no directions are written down for ${place}`
    const isOwn = target === place || reach.values.includes(target) || (isType && (reach.types ?? []).includes(target))
    return isOwn ? null : `${place} does not reach ${target}`
  }
  if (specifier.startsWith('node:')) return reach?.packages === undefined ? null : `${place} runs in browsers`
  const name = specifier.split('/')[0] ?? specifier
  const owner = OWNED_PACKAGES[name]
  if (owner !== undefined && owner !== place) return `${name} belongs to ${owner}`
  return reach?.packages === undefined || reach.packages.includes(name) ? null : `${place} does without ${name}`
}
