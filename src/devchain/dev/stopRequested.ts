import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const PARENT_POLL_MS = 500

/**
 * Resolves with a reason when this process should end: a signal, a closed terminal, or the end of its parent.
 *
 * npm runs a script through a shell, which outlives a killed npm. So under npm the parent of the parent is watched, too.
 */
export function stopRequested(): Promise<string> {
  return new Promise(resolve => {
    // Not `once`: Ctrl-C arrives twice, from the terminal and from npm.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve)
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => resolve('the output is closed'))
    const before = ancestors()
    const poll = setInterval(() => {
      if (ancestors() === before) return
      clearInterval(poll)
      resolve('the parent process has ended')
    }, PARENT_POLL_MS)
    poll.unref()
  })
}

function ancestors(): string {
  const { ppid } = process
  return process.env['npm_lifecycle_event'] === undefined ? String(ppid) : `${ppid} ${parentOf(ppid)}`
}

/** The pid of the parent; an empty string when the process does not exist. */
function parentOf(pid: number): string {
  try {
    if (process.platform !== 'linux') return execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    // "pid (name) state ppid …"; the name can contain spaces and parentheses.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[1] ?? ''
  } catch {
    return ''
  }
}
