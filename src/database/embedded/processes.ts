import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** Whether a process of that number exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Whether the process lives and is a PostgreSQL server that was started on that data folder: numbers are reused, most of all in containers. */
export function isServerOf(pid: number, dataFolder: string): boolean {
  if (!isAlive(pid)) return false
  const words = commandOf(pid)
  return words !== null && basename(words[0] ?? '').startsWith('postgres') && words.includes(dataFolder)
}

/** The words of a process's command line; `null` when it has ended. */
function commandOf(pid: number): readonly string[] | null {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return execFileSync('ps', ['-ww', '-p', String(pid), '-o', 'args='], { encoding: 'utf8' })
      .trim()
      .split(' ')
  } catch {
    return null
  }
}
