import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { build } from 'vite'
import { generateIfStale } from './generate.ts'
import { ROOT } from './root.ts'

/*
 * `npm run build:client` builds the published package into dist/client: JavaScript for browsers and Node, with types. Its
 * package.json is the repository's without the server's dependencies.
 *
 * The folder `client` has the same as CommonJS, for Jest. Its files are named like the entries, so that tools that don't know `exports` find
 * them, too: Metro before 0.82, Jest 27, `moduleResolution: node10`.
 */

/** Entries of the package, and the source file of each. */
const ENTRIES = {
  client: 'index',
  'client/live': 'live',
  'client/candles': 'candles',
  'client/format': 'format',
  'client/operator': 'operator',
  'client/rxjs': 'rxjs',
  'client/react': 'react',
} as const

/** Optional peer dependencies of the adapters. */
const PEERS = { react: '>=18', rxjs: '>=7' } as const

/** @param directory - is deleted first */
export async function buildClient(directory: string): Promise<void> {
  await generateIfStale()
  await rm(directory, { recursive: true, force: true })
  await mkdir(path.join(directory, 'client'), { recursive: true })
  await Promise.all([writeScripts(directory), writeTypes(directory), writeManifest(directory)])
}

async function writeScripts(directory: string): Promise<void> {
  for (const file of Object.values(ENTRIES)) await writeScript(directory, file)
}

/** One file for each entry: what two of them share is small, and a page without a bundler loads only what it imports. */
async function writeScript(directory: string, file: string): Promise<void> {
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      outDir: directory,
      emptyOutDir: false,
      target: 'es2022',
      sourcemap: true,
      lib: { entry: { [file]: `src/client/${file}.ts` } },
      rolldownOptions: {
        external: Object.keys(PEERS),
        output: (['es', 'cjs'] as const).map(format => ({
          format,
          minify: true,
          comments: false,
          // React Server Components have no hooks: this makes a module that has some one of the browser.
          banner: file === 'react' ? "'use client'" : '',
          entryFileNames: format === 'es' ? '[name].js' : 'client/[name].js',
        })),
      },
    },
  })
}

/** Writes the declarations that the entries need, with the repository's aliases replaced by relative paths. */
async function writeTypes(directory: string): Promise<void> {
  const emitted = path.join(directory, 'emitted')
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc')
  await promisify(execFile)(process.execPath, [tsc, '-p', path.join(ROOT, 'build/tsconfig.client.json'), '--outDir', emitted])
  const open = Object.values(ENTRIES).map(file => `client/${file}`)
  const seen = new Set(open)
  for (const module of open) {
    const text = await readFile(path.join(emitted, `${module}.d.ts`), 'utf8')
    const rewritten = text.replace(/(['"])(#|\.\/)([\w/]+)\.ts\1/g, (_, quote: string, kind: string, name: string) => {
      const target = kind === '#' ? name : path.posix.join(path.posix.dirname(module), name)
      if (!seen.has(target)) open.push(target)
      seen.add(target)
      const relative = path.posix.relative(path.posix.dirname(module), target)
      return `${quote}${relative.startsWith('.') ? '' : './'}${relative}.js${quote}`
    })
    if (/['"]#/.test(rewritten)) throw new Error(`${module}.d.ts names an alias of this repository that could not be resolved`)
    const file = path.join(directory, 'types', `${module}.d.ts`)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, rewritten)
  }
  await rm(emitted, { recursive: true })
  // The types of a CommonJS module are read by the rules of its folder.
  await cp(path.join(directory, 'types'), path.join(directory, 'client/types'), { recursive: true })
  for (const file of Object.values(ENTRIES)) {
    await writeFile(path.join(directory, `client/${file}.d.ts`), `export * from './types/client/${file}.js'\n`)
  }
}

async function writeManifest(directory: string): Promise<void> {
  const { name, version, license } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as Record<string, string>
  const manifest = {
    name,
    version,
    description: 'Client of Tokenwire: token data and live updates of EVM launchpads, in browsers and Node.',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: Object.fromEntries(
      Object.entries(ENTRIES).map(([entry, file]) => [
        `./${entry}`,
        {
          import: { types: `./types/client/${file}.d.ts`, default: `./${file}.js` },
          require: { types: `./client/${file}.d.ts`, default: `./client/${file}.js` },
        },
      ]),
    ),
    peerDependencies: PEERS,
    peerDependenciesMeta: Object.fromEntries(Object.keys(PEERS).map(peer => [peer, { optional: true }])),
  }
  await writeFile(path.join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await writeFile(path.join(directory, 'client/package.json'), '{ "type": "commonjs" }\n')
  await cp(path.join(ROOT, 'LICENSE'), path.join(directory, 'LICENSE'))
  const manual = await readFile(path.join(ROOT, 'docs/client.md'), 'utf8')
  // Relative links lead to files that the package does not contain.
  await writeFile(path.join(directory, 'README.md'), manual.replace(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1'))
}

if (process.argv[1] === import.meta.filename) await buildClient(path.join(ROOT, 'dist/client'))
