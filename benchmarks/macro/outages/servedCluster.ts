import type { ClientProtocol } from '#benchmarks/load/returningClients.ts'
import type { Address } from '#domain/address.ts'

/** Two servers of the same tokens, each in its own process. */
export interface ServedCluster {
  readonly protocol: ClientProtocol
  readonly ports: readonly number[]
  readonly tokens: readonly Address[]
  /** Commits a newer state of every token. */
  commit(): Promise<void>
  /** The newest sequence of each token, at the second server. */
  newest(): Promise<readonly number[]>
  /** kill -9 of the first server. */
  killFirst(): Promise<void>
  stop(): Promise<void>
}
