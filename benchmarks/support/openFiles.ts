import { execFileSync } from 'node:child_process'

/** The limit of open files of a process, and so of its connections. */
export function mostOpenFiles(): number {
  const limit = execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim()
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit)
}
