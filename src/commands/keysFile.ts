import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { ApiKey } from '#config'
import { parseApiKeys, readApiKeys } from '#configuration/apiKeys.ts'
import { TokenwireError } from '#errors'

/**
 * Replaces the keys of a file in one step, so that a service never reads half of it. A new file can be read by its owner alone; an existing
 * one keeps its owner and mode. A second change at the same time is refused, since one of the two would be lost.
 *
 * @throws `TokenwireError` `config_invalid` with what is wrong, and then changes nothing
 */
export function changeKeysFile(file: string, change: (keys: readonly ApiKey[]) => readonly ApiKey[]): void {
  // A link stays a link.
  const target = existsSync(file) ? realpathSync(file) : file
  const draft = `${target}.new`
  const descriptor = openDraft(draft)
  try {
    const keys = existsSync(target) ? readOrRefuse(target) : []
    const text = `${JSON.stringify({ keys: change(keys) }, null, 2)}\n`
    const parsed = parseApiKeys(text)
    if (parsed.kind === 'invalid') refuse(parsed.problems.map(problem => problem.replace(/^line \d+: /, '')).join('\n'))
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
    if (existsSync(target)) keepOwner(target, draft)
    renameSync(draft, target)
  } finally {
    closeSync(descriptor)
    rmSync(draft, { force: true })
  }
}

function openDraft(draft: string): number {
  try {
    return openSync(draft, 'wx', 0o600)
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return refuse(`${draft} exists: another command changes the keys just now, or one was killed. Remove it then.`)
    return refuse(`${draft} can't be written (${code}).`)
  }
}

function readOrRefuse(file: string): readonly ApiKey[] {
  const read = readApiKeys(file)
  return read.kind === 'valid' ? read.keys : refuse(`${file} is wrong and stays as it is:\n${read.problems.join('\n')}`)
}

function keepOwner(from: string, to: string): void {
  const { uid, gid, mode } = statSync(from)
  chownSync(to, uid, gid)
  chmodSync(to, mode)
}

function refuse(reason: string): never {
  throw new TokenwireError('config_invalid', reason)
}
