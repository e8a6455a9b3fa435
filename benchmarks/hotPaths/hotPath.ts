import type { ChainCalls } from '#benchmarks/chain/chainCalls.ts'
import type { ChainContents } from '#benchmarks/chain/launchpadChain.ts'
import type { Figure, Figures } from '#benchmarks/harness/benchmark.ts'
import type { Worker } from '#benchmarks/harness/worker.ts'
import type { Load } from '#benchmarks/load/load.ts'
import type { MeasuredService, Settings } from '#benchmarks/service/measuredService.ts'

/** A part of the service whose time users notice. A new one is a file in this folder and a line in `hotPaths.ts`. */
export interface HotPath {
  readonly name: string
  /** One sentence: what happens, and what is measured. */
  readonly about: string
  readonly figures: readonly Figure[]
  /** `true`: the database is empty. Default: the history of the chain is indexed. */
  readonly isEmpty?: true
  /** Measures once. @throws `Error` when a result is wrong */
  measure(turn: Turn): Promise<Figures>
}

/** What a hot path is measured with: a chain, an unused database, and the processes that the turn starts. They end with the turn. */
export interface Turn {
  readonly chain: Worker<ChainCalls>
  readonly contents: ChainContents
  /** Starts the measured service, and waits until it listens. */
  start(settings?: Settings): Promise<MeasuredService>
  startLoad(): Promise<Load>
  /** Of the database that the service is started with, for what stands between the two. */
  readonly databaseUrl: string
  /** Processor time of PostgreSQL since its start. */
  databaseCpuMs(): Promise<number>
  /** A number of clients, tokens or blocks, smaller in a turn that only checks. At least 1. */
  scaled(count: number): number
}
