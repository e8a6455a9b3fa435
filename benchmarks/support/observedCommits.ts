import type { ObservedCommit } from '#benchmarks/servers/observeCommits.ts'
import type { Service } from '#test/support/service.ts'

/** The settings of a service that reports its commits. */
export const OBSERVED = { NODE_OPTIONS: `--import=${new URL('../servers/observeCommits.ts', import.meta.url).href}` }

export interface ObservedCommits {
  readonly all: readonly ObservedCommit[]
  /** The commit of a block, once it is reported. @throws `Error` after the time limit */
  of(block: number, timeoutMs: number): Promise<ObservedCommit>
}

/** Collects the commits that a service reports from now on. */
export function observeService(service: Service): ObservedCommits {
  const all: ObservedCommit[] = []
  const waiting = new Map<number, (commit: ObservedCommit) => void>()
  service.process.on('message', message => {
    const commit = message as ObservedCommit
    if (commit.type !== 'committed') return
    all.push(commit)
    waiting.get(commit.block)?.(commit)
  })
  return {
    all,
    of: (block, timeoutMs) =>
      new Promise((resolve, reject) => {
        const found = all.find(commit => commit.block === block)
        if (found !== undefined) return resolve(found)
        const late = setTimeout(() => reject(new Error(`block ${block} was not committed within ${timeoutMs} ms`)), timeoutMs)
        waiting.set(block, commit => {
          clearTimeout(late)
          resolve(commit)
        })
      }),
  }
}
