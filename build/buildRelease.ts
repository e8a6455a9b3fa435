import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { buildClient } from './buildClient.ts'
import { ROOT } from './root.ts'
import { writeServer } from './serverFolder.ts'

/*
 * npm run release [-- folder]: writes dist/release, or the folder, from what `npm run build` has built: an archive with a server for this
 * platform, the client's package, a bill of materials (CycloneDX), the licences of all packages in the server, and SHA256SUMS.
 */

const run = promisify(execFile)
const NPM_OUTPUT = { cwd: ROOT, maxBuffer: 64 << 20 }
/** The names under which packages keep the text of their licence. */
const LICENCE_FILE = /^(?:licen[cs]e|copying)(?:\.|$|-)/i

const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }
const release = path.resolve(process.argv[2] ?? path.join(ROOT, 'dist/release'))
const staging = `${release}-${process.pid}`

try {
  await rm(release, { recursive: true, force: true })
  await mkdir(release, { recursive: true })
  await archiveServer()
  await packClient()
  await writeMaterials()
  await writeLicences()
  await writeSums()
} finally {
  await rm(staging, { recursive: true, force: true })
}

async function archiveServer(): Promise<void> {
  const name = `tokenwire-${version}`
  await writeServer(path.join(staging, name))
  await run('tar', ['-czf', path.join(release, `${name}-${process.platform}-${process.arch}.tar.gz`), '-C', staging, name])
}

async function packClient(): Promise<void> {
  const folder = path.join(staging, 'client')
  await buildClient(folder)
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', staging], { cwd: folder })
  const [packed] = JSON.parse(stdout) as [{ readonly filename: string }]
  await run('cp', [path.join(staging, packed.filename), path.join(release, `tokenwire-client-${version}.tgz`)])
}

interface Materials {
  readonly components: readonly { readonly 'bom-ref': string; readonly properties?: readonly { readonly name: string }[] }[]
  readonly dependencies: readonly { readonly ref: string }[]
}

/** Of the lockfile's packages: the bundle contains most of them. With `--omit dev` npm leaves out packages that are also needed otherwise. */
async function writeMaterials(): Promise<void> {
  const { stdout } = await run('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], NPM_OUTPUT)
  const all = JSON.parse(stdout) as Materials
  const components = all.components.filter(({ properties = [] }) => !properties.some(({ name }) => name === 'cdx:npm:package:development'))
  const left = new Set(all.components.filter(component => !components.includes(component)).map(component => component['bom-ref']))
  const dependencies = all.dependencies.filter(({ ref }) => !left.has(ref))
  await writeFile(path.join(release, `tokenwire-${version}.cdx.json`), `${JSON.stringify({ ...all, components, dependencies }, null, 2)}\n`)
}

/** @throws when a package has neither a text nor the name of a licence */
async function writeLicences(): Promise<void> {
  const { stdout } = await run('npm', ['ls', '--omit=dev', '--all', '--parseable'], NPM_OUTPUT)
  const folders = stdout.split('\n').filter(folder => folder.includes(`${path.sep}node_modules${path.sep}`))
  const texts = await Promise.all(folders.toSorted().map(licenceOf))
  await writeFile(path.join(release, 'THIRD-PARTY-LICENCES.txt'), texts.join('\n\n'))
}

async function licenceOf(folder: string): Promise<string> {
  const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly version: string
    readonly license?: string
  }
  const file = (await readdir(folder)).find(name => LICENCE_FILE.test(name))
  const text = file === undefined ? '' : await readFile(path.join(folder, file), 'utf8')
  const name = `${manifest.name} ${manifest.version}`
  if (text === '' && manifest.license === undefined) throw new Error(`${name} names no licence`)
  return `== ${name} (${manifest.license ?? 'see its text'})\n\n${text.trim()}`
}

async function writeSums(): Promise<void> {
  const files = (await readdir(release)).toSorted()
  const lines = files.map(
    async name =>
      `${createHash('sha256')
        .update(await readFile(path.join(release, name)))
        .digest('hex')}  ${name}\n`,
  )
  await writeFile(path.join(release, 'SHA256SUMS'), (await Promise.all(lines)).join(''))
}
