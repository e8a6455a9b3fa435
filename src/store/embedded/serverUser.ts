import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'
import { messageOf, TokenwireError } from '#errors'

const run = promisify(execFile)

/**
 * The user that the server runs as. PostgreSQL refuses to run as root:
 * - `self`: this process's user;
 * - `user`: this process is root, the server another user;
 * - `entering`: the same, where that user may not enter a folder of the path (a checkout under `/root` or in a private temporary folder).
 *   The server keeps the one capability of root that opens folders.
 */
export type ServerUser = { readonly kind: 'self' } | { readonly kind: 'user' | 'entering'; readonly uid: number; readonly gid: number }

/** The service's environment is not passed on: it holds keys, and `PG…` variables would change the server's settings. */
const ENVIRONMENT: NodeJS.ProcessEnv = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }

/** Program, arguments and options with which `spawn` runs a program as the server's user. */
export function asServerUser(user: ServerUser, file: string, args: readonly string[]) {
  switch (user.kind) {
    case 'self':
      return { file, args, options: { env: ENVIRONMENT } }
    case 'user':
      return { file, args, options: { uid: user.uid, gid: user.gid, env: ENVIRONMENT } }
    case 'entering':
      return {
        file: 'setpriv',
        args: [
          `--reuid=${user.uid}`,
          `--regid=${user.gid}`,
          '--clear-groups',
          // Without it access(2), by which initdb checks for postgres, ignores the capability.
          '--securebits=+no_setuid_fixup',
          '--inh-caps=-all,+dac_override',
          '--ambient-caps=-all,+dac_override',
          file,
          ...args,
        ],
        options: { env: ENVIRONMENT },
      }
  }
}

/**
 * Chooses the user that the server runs as, by running the program as that user.
 *
 * @param owner the uid and gid of an existing data folder: its server has to keep running as them
 * @returns the user and the program's version
 * @throws `TokenwireError` `not_supported` when the program does not run, or this process is root and no other user can run it
 */
export async function chooseServerUser(
  postgres: string,
  dataDir: string,
  owner: { readonly uid: number; readonly gid: number } | null,
): Promise<{ readonly user: ServerUser; readonly version: string }> {
  const self = { kind: 'self' } as const
  // Root tries first, so that a program that can't run at all is not taken for one that the other user may not reach.
  const version = await versionAs(self, postgres).catch(notRunning)
  if (process.getuid?.() !== 0) return { user: self, version }
  const ids = owner !== null && owner.uid !== 0 ? owner : await findOrAddUser()
  const plain = { kind: 'user', ...ids } as const
  if ((await mayEnter(dataDir, ids)) && (await mayRun(plain, postgres))) return { user: plain, version }
  const entering = { kind: 'entering', ...ids } as const
  if (await mayRun(entering, postgres)) return { user: entering, version }
  throw new TokenwireError(
    'not_supported',
    `PostgreSQL does not run as root, and its user (uid ${ids.uid}) may not enter ${dataDir} or ${dirname(postgres)}; ` +
      'run the service as another user, move it and DATA_DIR to folders that others may enter, or set DATABASE_URL',
  )
}

async function versionAs(user: ServerUser, postgres: string): Promise<string> {
  const { file, args, options } = asServerUser(user, postgres, ['--version'])
  const { stdout } = await run(file, args, options)
  return stdout.trim()
}

async function mayRun(user: ServerUser, postgres: string): Promise<boolean> {
  return versionAs(user, postgres).then(
    () => true,
    () => false,
  )
}

function notRunning(cause: unknown): never {
  const stderr = cause instanceof Error && 'stderr' in cause && typeof cause.stderr === 'string' ? cause.stderr.trim() : ''
  const reason = stderr === '' ? messageOf(cause) : stderr
  throw new TokenwireError(
    'not_supported',
    `The embedded PostgreSQL does not run on this system, on Linux it needs glibc (${reason.split('\n')[0]}); set DATABASE_URL to a PostgreSQL of your own`,
    { cause },
  )
}

/** Whether the permission bits let a user enter a folder and all folders above it. */
async function mayEnter(folder: string, ids: { readonly uid: number; readonly gid: number }): Promise<boolean> {
  for (let path = resolve(folder); ; path = dirname(path)) {
    const found = await stat(path).catch(() => null)
    if (found !== null) {
      const bit = found.uid === ids.uid ? 0o100 : found.gid === ids.gid ? 0o010 : 0o001
      if ((found.mode & bit) === 0) return false
    }
    if (path === dirname(path)) return true
  }
}

async function findOrAddUser(): Promise<{ uid: number; gid: number }> {
  const found = await findUser('postgres')
  if (found !== null) return found
  // In a minimal image no user can be added.
  await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']).catch(() => undefined)
  const ids = (await findUser('postgres')) ?? (await findUser('nobody'))
  if (ids !== null) return ids
  throw new TokenwireError(
    'not_supported',
    'PostgreSQL does not run as root, and there is no user "postgres"; add one, or set DATABASE_URL',
  )
}

async function findUser(name: string): Promise<{ uid: number; gid: number } | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return null
  }
}
