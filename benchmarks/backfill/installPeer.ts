import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The other indexers, by their folders in `benchmarks/peers`. */
export type Peer = 'ponder' | 'sqd'

/** Installs a peer from its own lockfile on the first call. @throws `Error` with the installer's output */
export async function installPeer(peer: Peer, print: (text: string) => void): Promise<void> {
  const folder = new URL(`../peers/${peer}/`, import.meta.url)
  if (existsSync(new URL('node_modules/', folder))) return
  print(`installing ${peer} in benchmarks/peers/${peer}`)
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: fileURLToPath(folder) })
}
