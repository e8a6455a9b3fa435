import { execFileSync } from 'node:child_process'

/** How many files a process may have open here, and with them connections. */
export function mostOpenFiles(): number {
  const limit = execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim()
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit)
}
