import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { ROOT } from './buildFolder.ts'
import { EXTERNAL } from './external.ts'

/** A script of package.json that runs a source file, which the bundle has as JavaScript. */
const COMMAND = /^(?:exec )?node(?: -r \S+)* src\/(?<source>commands\/\w+|main)\.ts$/

/** What operators read. Documents for contributors stay in the repository. */
const DOCUMENTS = ['LICENSE', 'README.md', 'CHANGELOG.md', '.env.example', 'docs', 'deploy']

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly type: string
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** The commands of package.json that the bundle contains, by script: `db:migrate` → `commands/dbMigrate`. */
export async function bundledCommands(): Promise<ReadonlyMap<string, string>> {
  const { scripts } = await readManifest(ROOT)
  return new Map(
    Object.entries(scripts).flatMap(([name, command]) => {
      const source = COMMAND.exec(command)?.groups?.['source']
      return source === undefined ? [] : [[name, source] as const]
    }),
  )
}

/**
 * Copies what a server runs into an empty folder: the built service and console, the packages that the bundle leaves outside, and of the
 * socket library only the binary of this platform. `npm start` and the database commands work there as in the repository.
 */
export async function writeServer(directory: string): Promise<void> {
  const { name, version, description, license, type } = await readManifest(ROOT)
  const commands = await bundledCommands()
  const scripts = Object.fromEntries([...commands].map(([script, source]) => [script, `exec node dist/service/${source}.js`]))
  await mkdir(directory, { recursive: true })
  for (const built of ['dist/service', 'dist/console']) await cp(path.join(ROOT, built), path.join(directory, built), { recursive: true })
  for (const document of DOCUMENTS) await cp(path.join(ROOT, document), path.join(directory, document), { recursive: true })
  await copyPackages(directory)
  const engines = { node: '>=22.18 <23' }
  await writeFile(
    path.join(directory, 'package.json'),
    `${JSON.stringify({ name, version, description, license, private: true, type, engines, scripts }, null, 2)}\n`,
  )
}

/** Copies the packages that the bundle imports, and theirs, to the places that they have in the repository. */
async function copyPackages(directory: string): Promise<void> {
  const { dependencies = {} } = await readManifest(ROOT)
  const open = Object.keys(dependencies)
    .filter(name => EXTERNAL.some(pattern => pattern.test(name)))
    .map(name => ({ name, from: ROOT }))
  const copied = new Set<string>()
  for (const { name, from } of open) {
    const folder = findPackage(name, from)
    if (folder === null || copied.has(folder)) continue
    copied.add(folder)
    const manifest = await readManifest(folder)
    const needed = { ...manifest.dependencies, ...manifest.optionalDependencies }
    open.push(...Object.keys(needed).map(next => ({ name: next, from: folder })))
    const filter = (file: string) => !path.relative(folder, file).split(path.sep).includes('node_modules') && isOfPlatform(file)
    await cp(folder, path.join(directory, path.relative(ROOT, folder)), { recursive: true, filter })
  }
}

/** Optional packages of other platforms are not installed. */
function findPackage(name: string, from: string): string | null {
  for (const folder of createRequire(path.join(from, 'package.json')).resolve.paths(name) ?? []) {
    const found = path.join(folder, name)
    if (existsSync(path.join(found, 'package.json'))) return found
  }
  return null
}

/** The socket library brings a binary for each platform and version of Node. */
function isOfPlatform(file: string): boolean {
  const binary = /^uws_.*\.node$/.exec(path.basename(file))
  return binary === null || binary[0] === `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest
}
