import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether a process of that pid exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Whether the process is a running PostgreSQL server of that data folder. Pids are reused, above all in containers. */
export function isServerOf(pid: number, dataFolder: string): boolean {
  if (!isAlive(pid)) return false
  const command = commandOf(pid)
  return command.includes('postgres') && `${command} `.includes(` -D ${dataFolder} `)
}

/** A process's command line; empty for a process that has ended, zombies included. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-ww', '-p', String(pid), '-o', 'args='], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}
