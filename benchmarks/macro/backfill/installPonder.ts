import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const FOLDER = new URL('../../peers/ponder/', import.meta.url)

/** Installs Ponder from its own lockfile on the first call. @throws `Error` with npm's output */
export async function installPonder(print: (text: string) => void): Promise<void> {
  const installed = await access(new URL('node_modules/ponder/package.json', FOLDER)).then(
    () => true,
    () => false,
  )
  if (installed) return
  print('  installing Ponder in benchmarks/peers/ponder')
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: fileURLToPath(FOLDER) })
}
