import { execFile } from 'node:child_process'
import { access, copyFile, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export type Peer = 'ponder' | 'envio' | 'sqd'

const PEERS = new URL('../../peers/', import.meta.url)
/** Envio's code generator installs packages beside what it generates. */
export const ENVIO_INDEXER: URL = new URL('../../../.cache/envio/', import.meta.url)
/** What stands for the chain in `peers/envio/indexer/config.yaml`. Envio's generator writes it into the code. */
const PLACEHOLDERS = { rpcUrl: 'http://rpc.invalid', launchpad: '0x1000000000000000000000000000000000000001' } as const
const GENERATED = new URL('generated/src/Generated.res.js', ENVIO_INDEXER)
const WITH_PLACEHOLDERS = new URL('generated/src/Generated.placeholders.js', ENVIO_INDEXER)

const run = promisify(execFile)

/** Installs a peer from its own lockfile on the first call. @throws `Error` with the installer's output */
export async function installPeer(peer: Peer, print: (text: string) => void): Promise<void> {
  const folder = new URL(`${peer}/`, PEERS)
  if (!(await exists(new URL('node_modules/', folder)))) {
    print(`  installing ${peer} in benchmarks/peers/${peer}`)
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: fileURLToPath(folder) })
  }
  if (peer === 'envio' && !(await exists(WITH_PLACEHOLDERS))) await generateEnvio(folder, print)
}

async function generateEnvio(folder: URL, print: (text: string) => void): Promise<void> {
  print('  generating the code of the Envio indexer in .cache/envio')
  await rm(ENVIO_INDEXER, { recursive: true, force: true })
  await cp(new URL('indexer/', folder), ENVIO_INDEXER, { recursive: true })
  await mkdir(new URL('generated/', ENVIO_INDEXER))
  // pnpm runs no install scripts without it, and ReScript's compiler needs its own.
  const workspace = 'pnpm-workspace.yaml'
  await cp(new URL(workspace, ENVIO_INDEXER), new URL(`generated/${workspace}`, ENVIO_INDEXER))
  const bin = fileURLToPath(new URL('node_modules/.bin', folder))
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` }
  await run('envio', ['codegen'], { cwd: fileURLToPath(ENVIO_INDEXER), env, maxBuffer: 64 << 20 })
  await copyFile(GENERATED, WITH_PLACEHOLDERS)
  await symlink('../generated', new URL('node_modules/generated', ENVIO_INDEXER))
}

/** Writes the chain into the generated code of the Envio indexer, which is for one chain. */
export async function configureEnvio({ rpcUrl, launchpad }: Readonly<Record<keyof typeof PLACEHOLDERS, string>>): Promise<void> {
  const code = await readFile(WITH_PLACEHOLDERS, 'utf8')
  await writeFile(GENERATED, code.replaceAll(PLACEHOLDERS.rpcUrl, rpcUrl).replaceAll(PLACEHOLDERS.launchpad, launchpad))
}

async function exists(url: URL): Promise<boolean> {
  return access(url).then(
    () => true,
    () => false,
  )
}
