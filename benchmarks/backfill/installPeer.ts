import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The other indexers, by their folders in `benchmarks/peers`. */
export type Peer = 'ponder' | 'sqd'

const PEERS = new URL('../peers/', import.meta.url)
const INSTALLED = new URL('../../.cache/bench/peers/', import.meta.url)

/** Where a peer is installed and run: outside of what git knows, since it also writes files there. */
export function peerFolder(peer: Peer): string {
  return fileURLToPath(new URL(peer, INSTALLED))
}

/** Copies a peer, and on the first call installs it from its own lockfile. @throws `Error` with the installer's output */
export async function installPeer(peer: Peer, print: (text: string) => void): Promise<void> {
  const folder = peerFolder(peer)
  await cp(new URL(peer, PEERS), folder, { recursive: true })
  if (existsSync(path.join(folder, 'node_modules'))) return
  print(`installing ${peer} in ${folder}`)
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder })
}
