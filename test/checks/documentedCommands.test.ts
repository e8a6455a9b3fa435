import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'

/*
 * The commands that documents give to operators and developers. Those that need only files are run as they stand, in a copy with other
 * programs in place of `docker`, `kubectl` and `systemctl`. Those of the database and of the service run in deploy/backup,
 * endToEnd/switchedSchema and devchain/dev.
 */

const ROOT = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')
const DOCUMENTS = ['README.md', 'CHANGELOG.md', ...globSync('{docs,examples,deploy}/**/*.md', { cwd: ROOT })]

/** The blocks of a shell, without what is behind a `#` of their own. */
const blocksOf = (file: string) =>
  [...read(file).matchAll(/^( *)```(?:sh|bash)\n(.*?)^\1```$/gms)].map(([, indent = '', text = '']) =>
    text.replaceAll(RegExp(`^${indent}`, 'gm'), ''),
  )
const inLines = (file: string) => [...read(file).matchAll(/`((?:[A-Z_]+=\S+ )*npm [^`]+)`/g)].map(([, code = '']) => code)
const commands = DOCUMENTS.flatMap(file => [...blocksOf(file), ...inLines(file)].map(code => ({ file, code })))

const folder = mkdtempSync(path.join(tmpdir(), 'tokenwire-commands-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('every script of npm that a document names is there', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> }
  const named = commands.flatMap(({ file, code }) =>
    [...code.matchAll(/\bnpm (?:run (?:-s )?)?(?!run\b|ci\b|install\b|rebuild\b|prune\b|pack\b|publish\b)([a-z][\w:]*)/g)].map(
      ([, name = '']) => ({
        file,
        name,
      }),
    ),
  )
  expect(named.length).toBeGreaterThan(80)
  expect(named.filter(({ name }) => !(name in scripts))).toEqual([])
})

it('every setting that stands before a command of a document is one', () => {
  const settings = new Set([...read('.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name))
  const ofTests = globSync('{test,build}/**/*.ts', { cwd: ROOT }).map(read).join('\n')
  const named = commands.flatMap(({ file, code }) =>
    [...code.matchAll(/^(?:[A-Z_]+=\S+ )+(?=np[mx] )/gm)].flatMap(([before]) =>
      [...before.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => ({ file, name })),
    ),
  )
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter(({ name }) => !settings.has(name) && !ofTests.includes(`'${name}'`))).toEqual([])
})

it('units of systemd are installed with the settings that they read', () => {
  const { place, ran } = runIn('systemd', 'docs/operation.md', 'systemctl')
  const units = ran('systemctl').flatMap(args => args.split(' ').slice(2))
  expect(units).toEqual(['tokenwire', 'tokenwire-gateway@3001', 'tokenwire-gateway@3002'])
  const missing: string[] = []
  for (const unit of new Set(units.map(name => name.replace(/@.*/, '@')))) {
    const text = readFileSync(path.join(place, 'root/etc/systemd/system', `${unit}.service`), 'utf8')
    for (const [, file = ''] of text.matchAll(/^EnvironmentFile=(\S+)$/gm))
      if (!existsSync(path.join(place, 'root', file))) missing.push(file)
    expect(text).toContain('/opt/tokenwire/dist/service/main.js')
  }
  expect(missing).toEqual([])
  expect(ran('systemd-sysusers')).toEqual([''])
  expect(existsSync(path.join(place, 'root/etc/tokenwire/launchpads.json'))).toBe(true)
  expect(existsSync(path.join(place, 'root/usr/lib/sysusers.d/tokenwire.conf'))).toBe(true)
})

it('a container gets files and settings that are there', () => {
  const { ran } = runIn('docker', 'docs/operation.md', 'docker run')
  expect(ran('docker').map(args => [/-v \.\/(\S+):\/config:ro/.exec(args)?.[1], /--env-file (\S+)/.exec(args)?.[1]])).toEqual([
    ['config', '.env'],
    ['config', '.env'],
  ])
  const [, command] = /\/app\/dist\/service\/commands\/(\w+)\.js/.exec(read('docs/operation.md')) ?? []
  expect(existsSync(path.join(ROOT, `src/commands/${command}.ts`))).toBe(true)
})

it('compose and Kubernetes are started where their files are', () => {
  const compose = runIn('compose', 'docs/operation.md', 'docker compose')
  expect(compose.ran('docker')).toEqual(['compose up -d --build'])
  expect(existsSync(path.join(compose.place, 'deploy/compose/.env'))).toBe(true)
  const kubernetes = runIn('kubernetes', 'docs/operation.md', 'kubectl')
  expect(kubernetes.ran('kubectl')).toEqual(['apply -k .'])
  const at = path.join(kubernetes.place, 'deploy/kubernetes')
  const named = [
    ...readFileSync(path.join(at, 'kustomization.yaml'), 'utf8').matchAll(/^ +(?:- (\S+\.yaml)|- ?envs: \[(\S+)\]|envs: \[(\S+)\])$/gm),
  ]
  const files = named.flatMap(([, ...groups]) => groups.filter(name => name !== undefined))
  expect(files).toEqual(expect.arrayContaining(['indexer.yaml', 'settings.env', 'secret.env']))
  expect(files.filter(file => !existsSync(path.join(at, file)))).toEqual([])
})

/**
 * Runs a block in a copy of `deploy`, with settings and launchpads beside it. `install` and redirections write below `root`.
 *
 * @param part - a text of the block
 */
function runIn(name: string, file: string, part: string): { readonly place: string; ran(program: string): readonly string[] } {
  const place = path.join(folder, name)
  const programs = path.join(place, 'programs')
  for (const made of ['programs', 'root/etc/systemd/system', 'root/usr/lib/sysusers.d', 'root/etc/tokenwire', 'config'])
    mkdirSync(path.join(place, made), { recursive: true })
  cpSync(path.join(ROOT, 'deploy'), path.join(place, 'deploy'), { recursive: true })
  cpSync(path.join(ROOT, '.env.example'), path.join(place, '.env'))
  writeFileSync(path.join(place, 'launchpads.json'), '{}')
  const log = path.join(place, 'log')
  writeFileSync(log, '')
  for (const program of ['docker', 'kubectl', 'systemctl', 'systemd-sysusers'])
    writeFileSync(path.join(programs, program), `#!/bin/sh\necho "${program} $*" >> ${log}\n`)
  // The group does not exist here, and the places belong to the system.
  const install = [
    '#!/bin/bash',
    'kept=()',
    'while [ $# -gt 1 ]; do if [ "$1" = -g ]; then shift 2; else kept+=("$1"); shift; fi; done',
    `exec /usr/bin/install "\${kept[@]}" "${place}/root$1"`,
  ]
  writeFileSync(path.join(programs, 'install'), install.join('\n'))
  for (const program of globSync('*', { cwd: programs })) chmodSync(path.join(programs, program), 0o755)
  const block = blocksOf(file).find(text => text.includes(part)) ?? expect.unreachable(part)
  execFileSync('bash', ['-euo', 'pipefail', '-c', block], {
    cwd: place,
    env: { PATH: `${programs}:${process.env['PATH']}` },
    stdio: 'pipe',
  })
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  return { place, ran: program => lines.filter(line => line.split(' ')[0] === program).map(line => line.slice(program.length + 1)) }
}
