import { randomUUID } from 'node:crypto'
import { realpathSync, rmSync, type Stats, statSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { TokenwireError } from '#errors'

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs work that writes to a file or, for `null`, to standard output. The file appears once it is whole: before, its bytes are in a hidden
 * file beside it, which is removed when the work fails or a signal ends the process.
 *
 * @throws `TokenwireError` `config_invalid` that says why the target takes no more bytes, or is no file
 */
export async function writeTarget<T>(out: string | null, work: (target: Writable) => Promise<T>): Promise<T> {
  if (out === null) {
    return work(process.stdout).catch((error: unknown) => {
      throw targetError(error, 'standard output')
    })
  }
  const { file, replaced } = findFile(out)
  const partial = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID()}`)
  const endBy = (signal: NodeJS.Signals) => {
    rmSync(partial, { force: true })
    process.kill(process.pid, signal)
  }
  for (const signal of ENDING) process.once(signal, endBy)
  try {
    const opened = await open(partial, 'wx', replaced?.mode)
    if (replaced !== null) await keepAccess(opened, replaced)
    // Flushed, because after a loss of power the file would have its name, and might lack its bytes.
    const target = opened.createWriteStream({ flush: true })
    const result = await work(target)
    target.end()
    await finished(target)
    await rename(partial, file)
    return result
  } catch (error) {
    // Where no file can be, none can be removed.
    await rm(partial, { force: true }).catch(() => undefined)
    throw targetError(error, out)
  } finally {
    for (const signal of ENDING) process.off(signal, endBy)
  }
}

interface TargetFile {
  /** Where a link leads: it stays a link. */
  readonly file: string
  readonly replaced: Stats | null
}

function findFile(out: string): TargetFile {
  try {
    const found = statSync(out, { throwIfNoEntry: false })
    if (found === undefined) return { file: out, replaced: null }
    // A file in place of a device such as /dev/null would break other programs.
    if (!found.isFile())
      throw new TokenwireError('config_invalid', `--out: ${out} is there and is no file: without --out, rows go to standard output`)
    return { file: realpathSync(out), replaced: found }
  } catch (error) {
    throw targetError(error, out)
  }
}

/** Gives a file the mode of the one that it replaces and, where root writes it, the owner. */
async function keepAccess(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  if (process.getuid?.() === 0) await file.chown(uid, gid)
  await file.chmod(mode)
}

const REASONS: Readonly<Record<string, string>> = {
  EPIPE: 'its reader has gone',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EACCES: 'the user may not write there',
  EPERM: 'the user may not replace it',
  EROFS: 'the disk is read-only',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  ELOOP: 'the link leads to itself',
  ENAMETOOLONG: 'the name is too long',
  EFBIG: 'the file would be larger than the limit',
  EIO: 'the disk fails',
}

const CALLS_ON_FILES = ['write', 'open', 'stat', 'realpath', 'fchown', 'fchmod', 'rename', 'fsync', 'close']

/** Errors of other calls belong to the database. */
function targetError(error: unknown, target: string): unknown {
  const { code = '', syscall = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  const reason = REASONS[code]
  if (reason === undefined || !CALLS_ON_FILES.includes(syscall)) return error
  return new TokenwireError('config_invalid', `Nothing more can be written to ${target}: ${reason}.`, { cause: error })
}
