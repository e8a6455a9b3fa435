import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** What a folder may import besides the files below itself: aliases of package.json without `#`, packages, and Node's own modules. */
interface Reach {
  readonly values: readonly string[]
  readonly types?: readonly string[]
  readonly packages: readonly string[]
}

const ROOT = path.resolve(import.meta.dirname, '../..')
const OXLINT = path.join(ROOT, 'node_modules/oxlint/bin/oxlint')
const PACKAGES = ['node:fs', 'viem', 'xstate', 'uWebSockets.js', 'zod']
const SERVER = ['node:fs', 'viem', 'zod']
const EVERYBODY = ['domain', 'errors', 'config']

const EVERYTHING_SERVED: Reach = {
  values: [
    ...EVERYBODY,
    'actors',
    'chain',
    'configuration',
    'console',
    'database',
    'gateway',
    'indexer',
    'indexing',
    'launchpads',
    'market',
    'metadata',
    'protocol',
    'telemetry',
  ],
  packages: SERVER,
}

/** The import directions of the design, said once more and independently of the linter's configuration. */
const REACHES: Readonly<Record<string, Reach>> = {
  'src/domain': { values: [], packages: [] },
  'src/errors.ts': { values: [], packages: [] },
  'src/config.ts': { values: ['domain'], packages: SERVER },
  'src/configuration': { values: EVERYBODY, packages: SERVER },
  'src/chain': { values: EVERYBODY, packages: SERVER },
  'src/launchpads': { values: EVERYBODY, packages: SERVER },
  'src/database': { values: EVERYBODY, packages: SERVER },
  'src/database/migrateCommand.ts': { values: [...EVERYBODY, 'configuration', 'database', 'telemetry'], packages: SERVER },
  'src/indexer': { values: [...EVERYBODY, 'chain', 'launchpads', 'database'], packages: SERVER },
  'src/indexing': { values: [...EVERYBODY, 'chain', 'launchpads', 'indexer', 'metadata', 'database', 'telemetry'], packages: SERVER },
  'src/market': { values: EVERYBODY, packages: SERVER },
  'src/metadata': { values: [...EVERYBODY, 'database'], packages: SERVER },
  'src/telemetry': { values: EVERYBODY, packages: SERVER },
  'src/protocol': { values: ['errors'], types: ['domain'], packages: ['zod'] },
  'src/gateway': { values: [...EVERYBODY, 'actors', 'protocol', 'telemetry'], packages: [...SERVER, 'uWebSockets.js'] },
  'src/client': { values: ['protocol'], types: ['domain'], packages: [] },
  'src/client/rxjs.ts': { values: ['client', 'protocol'], types: ['domain'], packages: [] },
  'src/client/react.ts': { values: ['client', 'protocol'], types: ['domain'], packages: [] },
  'src/console': { values: ['client', 'protocol'], types: ['domain'], packages: SERVER },
  'src/devchain': {
    values: [
      ...EVERYBODY,
      'actors',
      'chain',
      'configuration',
      'database',
      'gateway',
      'indexer',
      'launchpads',
      'market',
      'protocol',
      'telemetry',
    ],
    packages: SERVER,
  },
  'src/main.ts': EVERYTHING_SERVED,
  'src/run.ts': EVERYTHING_SERVED,
  'src/service.ts': EVERYTHING_SERVED,
  'src/serve.ts': EVERYTHING_SERVED,
  'src/unforeseen': { values: EVERYBODY, packages: SERVER },
  actors: { values: [...EVERYBODY, 'protocol'], packages: ['node:fs', 'viem', 'xstate', 'zod'] },
}

interface Import {
  readonly from: string
  readonly specifier: string
  readonly kind: 'value' | 'type' | 'export'
}

const describeImport = ({ from, specifier, kind }: Import) => `${from}: ${kind} ${specifier}`
const fileOf = (from: string) => (from.endsWith('.ts') ? from : `${from}/probe.ts`)

/** Every alias as it is written in an import. */
async function aliases(): Promise<readonly string[]> {
  const { imports } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as { imports: Record<string, string> }
  return Object.keys(imports).map(alias => alias.slice(1).replace('*', 'any.ts'))
}

function importsOf(from: string, names: readonly string[]): readonly Import[] {
  const specifiers = [...names.map(name => `#${name}`), ...PACKAGES, '../other.ts', '../../src/domain/other.ts', './main.ts']
  return specifiers.flatMap(specifier => (['value', 'type', 'export'] as const).map(kind => ({ from, specifier, kind })))
}

function isAllowed({ from, specifier, kind }: Import): boolean {
  const reach = REACHES[from]
  if (reach === undefined) throw new Error(`no directions are written down for ${from}`)
  if (specifier.startsWith('.')) return false
  if (!specifier.startsWith('#')) return reach.packages.includes(specifier)
  const folder = specifier.slice(1).replace(/\/.*$/, '')
  const own = from.replace(/^src\//, '')
  if (folder === own || reach.values.includes(folder)) return true
  return kind === 'type' && (reach.types ?? []).includes(folder)
}

function statement({ specifier, kind }: Import, index: number): string {
  switch (kind) {
    case 'value':
      return `import { value${index} } from '${specifier}'`
    case 'type':
      return `import type { Type${index} } from '${specifier}'`
    case 'export':
      return `export { other${index} } from '${specifier}'`
  }
}

/** The imports that the repository's own rules refuse, found by linting files at the same places below `directory`. */
async function refused(directory: string, probes: ReadonlyMap<string, readonly Import[]>): Promise<readonly string[]> {
  const rules = JSON.parse(await readFile(path.join(ROOT, '.oxlintrc.json'), 'utf8')) as { options: object }
  await writeFile(path.join(directory, '.oxlintrc.json'), JSON.stringify({ ...rules, options: { ...rules.options, typeAware: false } }))
  for (const [from, imports] of probes) {
    const file = path.join(directory, fileOf(from))
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, imports.map(statement).join('\n'))
  }
  const lint = promisify(execFile)(process.execPath, [OXLINT, '-c', '.oxlintrc.json', '-f', 'json', 'src', 'actors'], {
    cwd: directory,
    maxBuffer: 64 * 2 ** 20,
  })
  const output = await lint.then(
    ({ stdout }) => stdout,
    (failed: { stdout: string }) => failed.stdout,
  )
  const { diagnostics } = JSON.parse(output) as {
    diagnostics: { code: string; filename: string; labels: { span: { line: number } }[] }[]
  }
  const found = new Set<string>()
  for (const { code, filename, labels } of diagnostics) {
    if (code !== 'eslint(no-restricted-imports)') continue
    for (const [from, imports] of probes) {
      const hit = imports[(labels[0]?.span.line ?? 0) - 1]
      if (filename === fileOf(from) && hit !== undefined) found.add(describeImport(hit))
    }
  }
  return [...found].sort()
}

describe('the import directions', () => {
  let directory = ''
  let probes: ReadonlyMap<string, readonly Import[]> = new Map()
  let found: readonly string[] = []

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'tokenwire-directions-'))
    const names = await aliases()
    probes = new Map(Object.keys(REACHES).map(from => [from, importsOf(from, names)]))
    found = await refused(directory, probes)
  })

  afterAll(() => rm(directory, { recursive: true, force: true }))

  it.each(Object.keys(REACHES))('hold for %s, no import more and none fewer', from => {
    const expected = (probes.get(from) ?? []).filter(one => !isAllowed(one)).map(describeImport)
    expect(expected.length).toBeGreaterThan(0)
    expect(found.filter(one => one.startsWith(`${from}: `))).toEqual(expected.sort())
  })

  it('are written down for every folder and file of src', async () => {
    const entries = await readdir(path.join(ROOT, 'src'), { withFileTypes: true })
    const places = entries.filter(entry => entry.isDirectory() || entry.name.endsWith('.ts')).map(entry => `src/${entry.name}`)
    expect(Object.keys(REACHES)).toEqual(expect.arrayContaining(places))
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
    // The process loads what may import the same while its thread loads, and what serves while the database is made.
    expect(evasions.toSorted()).toEqual(['src/main.ts: ./run.ts', 'src/run.ts: ./service.ts', 'src/service.ts: ./serve.ts'])
  })
})
