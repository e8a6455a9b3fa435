import { readFileSync } from 'node:fs'

/**
 * The processor time of a Linux process's first thread since its start: all of a PostgreSQL backend. Counted in nanoseconds, where
 * `/proc/<pid>/stat` counts hundredths of a second.
 */
export function firstThreadCpuMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}

/** User and system time of this process since its start. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
