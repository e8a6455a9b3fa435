import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { packagePath } from '#package'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { serviceFolder, spawnService } from '#test/support/service.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

/* The files of a release, as somebody uses them who has nothing else. */

const run = promisify(execFile)
const database = await useDatabase({ migrated: false })

interface Materials {
  readonly components: readonly { readonly purl: string }[]
}

const manifestOf = async (directory: string) =>
  JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8')) as {
    readonly version: string
    readonly dependencies?: Readonly<Record<string, string>>
    readonly scripts: Readonly<Record<string, string>>
  }

const temporary = await makeTemporaryFolder()
const release = path.join(temporary.path, 'release')
await run(process.execPath, [packagePath('build/buildRelease.ts'), release])
const archive = (await readdir(release)).find(name => name.endsWith('.tar.gz')) ?? expect.unreachable()
await run('tar', ['-xzf', path.join(release, archive), '-C', temporary.path])
const server = path.join(temporary.path, `tokenwire-${(await manifestOf(packagePath('.'))).version}`)
const chain = await startTestChain()
const folder = await serviceFolder(chain)

test('the sums are those of all files', async () => {
  const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: release })
  const files = (await readdir(release)).filter(name => name !== 'SHA256SUMS').toSorted()
  expect(stdout).toBe(files.map(name => `${name}: OK\n`).join(''))
})

test('the archive migrates a database, serves the API and the console, and stops', async () => {
  const { scripts } = await manifestOf(server)
  expect(scripts['db:migrate']).toBe('exec node dist/service/commands/dbMigrate.js')
  expect(await readdir(path.join(server, 'deploy'))).toEqual(expect.arrayContaining(['systemd', 'proxies', 'watching']))
  const command = path.join(server, 'dist/service/commands/dbMigrate.js')
  const env = { PATH: process.env['PATH'] ?? '', DATABASE_URL: database.url, LOG_LEVEL: 'silent' }
  expect((await run(process.execPath, [command], { env })).stdout).toMatch(/^Migrated: /)
  const service = await folder.start({ DATABASE_URL: database.url }, path.join(server, 'dist/service/main.js'))
  await service.indexed(0)
  expect(await (await fetch(`${service.url}/api/tokens`)).json()).toMatchObject({ data: [] })
  expect(await (await fetch(service.url)).text()).toContain('<title>Tokenwire')
  // Descriptions read files that no module imports: the archive had none of them.
  for (const name of ['openapi.json', 'llms.txt', 'docs', 'docs/messages', 'docs/renderer.js', 'docs/renderer.css'])
    expect([name, (await fetch(`${service.url}/${name}`)).status]).toEqual([name, 200])
  expect(await service.stop()).toBe(0)
})

// It had links to folders and told to run scripts that only the repository has.
test('every link and every command of the documents in the archive leads to what is there', async () => {
  const { scripts } = await manifestOf(server)
  const documents = (await readdir(server, { recursive: true })).filter(name => name.endsWith('.md') && !name.startsWith('node_modules'))
  const faults: string[] = []
  for (const document of documents) {
    const text = await readFile(path.join(server, document), 'utf8')
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g))
      if (!/^[a-z]+:/.test(link) && !existsSync(path.join(server, path.dirname(document), link))) faults.push(`${document}: ${link}`)
    // A block belongs to the paragraph before it.
    for (const paragraph of text.split(/\n\s*\n(?!\s*```)/)) {
      const missing = [...paragraph.matchAll(/npm (?:run (?:-s )?)?([a-z][a-z:]*)/g)].filter(([command, name = '']) =>
        command.startsWith('npm run') ? scripts[name] === undefined : ['ci', 'test', 'rebuild', 'prune'].includes(name),
      )
      if (missing.length > 0 && !paragraph.includes('checkout')) faults.push(`${document}: ${missing.join()}`)
    }
  }
  expect(faults).toEqual([])
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/operation.md', 'docs/guides/exports.md']))
})

test('the archive does what its README says: check, start, and the schema beside launchpads.json', async () => {
  const example = await readFile(path.join(server, 'docs/launchpads.example.json'), 'utf8')
  const { $schema } = JSON.parse(example) as { readonly $schema: string }
  expect(existsSync(path.join(server, $schema))).toBe(true)
  const ended = await run('npm', ['start', '--', 'check'], {
    cwd: server,
    // The `node` that its scripts call is the one of this test, also where that of the system is older.
    env: {
      ...process.env,
      PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      ...folder.env,
      DATABASE_URL: database.url,
    },
  })
  expect(ended.stdout).toMatch(/^ok +launchpad reference: \d+ contracts?$/m)
})

test('the archive has an embedded PostgreSQL, and one binary of the socket library', async () => {
  const service = await folder.start({}, path.join(server, 'dist/service/main.js'))
  expect(service.databaseUrl).toContain('127.0.0.1')
  expect(await service.stop()).toBe(0)
  expect(await readdir(path.join(server, 'node_modules/uWebSockets.js/dist/bin'))).toHaveLength(1)
})

// It crashed with a stack. Another Node than 22 finds no binary either.
test('the archive says that it lacks a binary for this Node', async () => {
  const binaries = path.join(server, 'node_modules/uWebSockets.js/dist/bin')
  await rename(binaries, `${binaries}-away`)
  const service = spawnService({ ...folder.env, DATABASE_URL: database.url }, folder.folder, path.join(server, 'dist/service/main.js'))
  expect(await service.exited).toBe(1)
  expect(service.output()).toContain(`uWebSockets.js has no binary for Node ${process.version} on `)
  expect(service.output()).not.toContain('stack')
  await rename(`${binaries}-away`, binaries)
})

test('the materials and the licences name every dependency', async () => {
  const { dependencies = {} } = await manifestOf(packagePath('.'))
  const files = await readdir(release)
  const read = (ending: string) => readFile(path.join(release, files.find(name => name.endsWith(ending)) ?? expect.unreachable()), 'utf8')
  const { components } = JSON.parse(await read('.cdx.json')) as Materials
  const licences = await read('LICENCES.txt')
  for (const [name, version] of Object.entries(dependencies)) {
    const alias = /^npm:(.+)@(.+)$/.exec(version)
    const [, realName = name, realVersion = version] = alias ?? []
    expect(components.map(({ purl }) => purl)).toContain(`pkg:npm/${realName.replace('@', '%40')}@${realVersion}`)
    expect(licences).toContain(`== ${realName} ${realVersion} (`)
  }
})
