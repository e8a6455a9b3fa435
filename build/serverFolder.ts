import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { EXTERNAL } from './external.ts'
import { ROOT } from './root.ts'

/** A script of package.json that runs a source file, which the bundle has as JavaScript. */
const COMMAND = /^(?:exec )?node(?: -r \S+)* src\/(?<source>commands\/\w+|main)\.ts$/

/** What operators and users read. */
const DOCUMENTS = ['LICENSE', 'CHANGELOG.md', '.env.example', 'docs', 'deploy', 'src/configuration/launchpads.schema.json']
/** Documents for contributors stay in the repository. */
const FOR_CONTRIBUTORS = /^docs\/(?:decisions|pictures|(?:faults|testing|reliability|journeys|guides\/development)\.md)/
/** What has another place than in the repository. */
const MOVED = new Map([
  ['README.md', 'README.md'],
  ['deploy/archive.md', 'README.md'],
  ['src/configuration/launchpads.schema.json', 'launchpads.schema.json'],
])

/** What the service reads besides modules, at the same places. */
const READ_FILES = [
  'src/gateway/descriptions/examples.json',
  ...['package.json', 'LICENSE', 'NOTICE', 'swagger-ui-bundle.js', 'swagger-ui.css'].map(name => `node_modules/swagger-ui-dist/${name}`),
]

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
  for (const document of DOCUMENTS) await copyDocument(document, directory)
  for (const file of READ_FILES) await cp(path.join(ROOT, file), path.join(directory, file))
  await copyPackages(directory)
  const engines = { node: '>=22.18 <23' }
  await writeFile(
    path.join(directory, 'package.json'),
    `${JSON.stringify({ name, version, description, license, private: true, type, engines, scripts }, null, 2)}\n`,
  )
}

/** The place in the server's folder of a file or folder of the repository; `null`: it is not there. */
function placeOf(file: string): string | null {
  const isDocument = DOCUMENTS.some(document => file === document || file.startsWith(`${document}/`)) && !FOR_CONTRIBUTORS.test(file)
  return MOVED.get(file) ?? (isDocument ? file : null)
}

async function copyDocument(file: string, directory: string): Promise<void> {
  const place = placeOf(file)
  if (place === null) return
  if ((await stat(path.join(ROOT, file))).isDirectory()) {
    for (const name of await readdir(path.join(ROOT, file))) await copyDocument(path.join(file, name), directory)
    return
  }
  const target = path.join(directory, place)
  await mkdir(path.dirname(target), { recursive: true })
  if (!/\.(?:md|example\.json)$/.test(file)) return cp(path.join(ROOT, file), target)
  const text = await readFile(path.join(ROOT, file), 'utf8')
  await writeFile(target, relinked(text, file, place).replace('"./src/configuration/launchpads.schema.json"', '"./launchpads.schema.json"'))
}

/** A document whose links lead to the places in the server's folder. A link to what is not there becomes its text. */
function relinked(text: string, file: string, place: string): string {
  return text.replaceAll(/!?\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)/g, (link: string, label: string, to: string, anchor = '') => {
    if (/^[a-z]+:/.test(to)) return link
    const leads = placeOf(path.join(path.dirname(file), to))
    // The README there is another one, without the headings of that in the repository.
    if (leads === null || (leads === 'README.md' && anchor !== '')) return label
    return `[${label}](${path.relative(path.dirname(place), leads)}${anchor})`
  })
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
