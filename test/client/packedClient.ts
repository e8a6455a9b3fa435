import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { buildClient } from '../../build/buildClient.ts'

export const run = promisify(execFile)

const ROOT = path.resolve(import.meta.dirname, '../..')

/** Packages that a project with the client has installed, too. */
const INSTALLED = [
  'react',
  'react-dom',
  'scheduler',
  'lightweight-charts',
  'fancy-canvas',
  '@types/react',
  'csstype',
  'rxjs',
  'tslib',
  '@types/node',
  'undici-types',
]

/** The published package, and a project with the examples that has it installed. */
export interface PackedClient {
  readonly tarball: string
  readonly package: string
  readonly project: string
  remove(): Promise<void>
}

export async function packClient(): Promise<PackedClient> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tokenwire-client-'))
  const built = path.join(folder, 'built')
  const project = path.join(folder, 'project')
  await buildClient(built)
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: built })
  const [packed] = JSON.parse(stdout) as [{ filename: string }]
  const tarball = path.join(folder, packed.filename)

  const installed = path.join(project, 'node_modules')
  await mkdir(path.join(installed, '@types'), { recursive: true })
  await run('tar', ['-xf', tarball, '-C', installed])
  await cp(path.join(installed, 'package'), path.join(installed, 'tokenwire'), { recursive: true })
  await rm(path.join(installed, 'package'), { recursive: true })
  for (const name of INSTALLED) await symlink(path.join(ROOT, 'node_modules', name), path.join(installed, name))
  await cp(path.join(ROOT, 'examples'), project, { recursive: true })
  await writeFile(path.join(project, 'package.json'), '{ "name": "project", "type": "module", "private": true }')
  return { tarball, package: path.join(installed, 'tokenwire'), project, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Runs one of the repository's tools. */
export async function tool(file: string, args: readonly string[], cwd: string): Promise<string> {
  const ran = await run(process.execPath, [path.join(ROOT, 'node_modules', file), ...args], { cwd, maxBuffer: 64 * 2 ** 20 }).catch(
    (failed: { stdout: string; stderr: string }) => {
      throw new Error(`${file} ${args.join(' ')}\n${failed.stdout}${failed.stderr}`)
    },
  )
  return ran.stdout
}
