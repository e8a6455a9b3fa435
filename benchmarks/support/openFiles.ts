import { execFileSync } from 'node:child_process'

/** Files that a process needs besides its connections. */
const OTHER_FILES = 500
/** More connections would take minutes. */
const MAX_CONNECTIONS = 100_000

/** Of its sockets the service keeps an eighth for requests. */
const SHARE_OF_CONNECTIONS = 7 / 8

/** The connections that a process may have by its limit of open files, in thousands. */
export function maxConnections(): number {
  const limit = execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim()
  const files = limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit)
  const most = Math.min(MAX_CONNECTIONS, (files - OTHER_FILES) * SHARE_OF_CONNECTIONS)
  return Math.max(1_000, Math.floor(most / 1_000) * 1_000)
}
