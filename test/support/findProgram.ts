import { accessSync, constants } from 'node:fs'
import path from 'node:path'

export interface WantedProgram {
  /** What it is called, the best name first. */
  readonly names: readonly string[]
  readonly aptPackage: string
  /** Where to look besides `PATH`. */
  readonly folders?: readonly string[]
}

/**
 * Where a program is on this machine, or `null`, which is said loudly: a test that needs it is skipped then.
 *
 * @throws `Error` where `CI` is set: there a program that is missing is a defect of the machine, not a reason to test less
 */
export function findProgram({ names, aptPackage, folders: others = [] }: WantedProgram): string | null {
  const folders = [...others, '/usr/bin', '/usr/sbin', ...(process.env['PATH'] ?? '').split(path.delimiter)]
  const found = names.flatMap(name => folders.map(folder => path.join(folder, name))).find(isExecutable)
  if (found !== undefined) return found
  const message = `there is no ${names[0]} on this machine: apt-get install -y --no-install-recommends ${aptPackage}`
  if ((process.env['CI'] ?? '') !== '') throw new Error(message)
  process.stderr.write(`\n!!! SKIPPED: ${message}\n!!! What needs it is NOT proved by this run.\n\n`)
  return null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
