import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { TokenwireError } from '#errors'
import { findServer, layoutOf, stopServer } from '#store/embedded/serverProcess.ts'

const MARKER = 'DELETED-AT-EACH-npm-run-dev'
const EXPLANATION = 'npm run dev makes a new chain each time it starts, and deletes this folder then.\n'

/**
 * Empties the database folder of the run before, because every run has a new chain. A server that still runs on it is stopped first.
 *
 * @throws `TokenwireError` `config_invalid` when the folder is not empty and was not created by this function; it is not touched then
 */
export async function makeFreshFolder(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((): string[] => [])
  if (entries.length > 0 && !entries.includes(MARKER)) {
    throw new TokenwireError(
      'config_invalid',
      `DATA_DIR: npm run dev keeps its database in ${folder} and would delete what is there, which it did not make; choose another DATA_DIR`,
    )
  }
  if (entries.length > 0) {
    const layout = layoutOf(folder)
    const leftOver = await findServer(layout)
    if (leftOver !== null) await stopServer(layout, leftOver.pid)
    await rm(folder, { recursive: true, force: true })
  }
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, MARKER), EXPLANATION)
}
