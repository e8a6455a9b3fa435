import { randomUUID } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
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
  // A file in place of a device such as /dev/null would break other programs.
  if (statSync(out, { throwIfNoEntry: false })?.isFile() === false)
    throw new TokenwireError('config_invalid', `--out: ${out} is there and is no file: without --out, rows go to standard output`)
  const partial = path.join(path.dirname(out), `.${path.basename(out)}.${randomUUID()}`)
  const endBy = (signal: NodeJS.Signals) => {
    rmSync(partial, { force: true })
    process.kill(process.pid, signal)
  }
  for (const signal of ENDING) process.once(signal, endBy)
  try {
    const file = await open(partial, 'wx')
    // Flushed, because after a loss of power the file would have its name, and might lack its bytes.
    const target = file.createWriteStream({ flush: true })
    const result = await work(target)
    target.end()
    await finished(target)
    await rename(partial, out)
    return result
  } catch (error) {
    await rm(partial, { force: true })
    throw targetError(error, out)
  } finally {
    for (const signal of ENDING) process.off(signal, endBy)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EPIPE: 'its reader has gone',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EACCES: 'the user may not write there',
  EROFS: 'the disk is read-only',
  ENOENT: 'there is no such folder',
}

/** Errors of the system that name no file belong to the database. */
function targetError(error: unknown, target: string): unknown {
  const { code = '', syscall = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  const reason = REASONS[code]
  if (reason === undefined || !['write', 'open', 'rename', 'fsync'].includes(syscall)) return error
  return new TokenwireError('config_invalid', `Nothing more can be written to ${target}: ${reason}.`, { cause: error })
}
