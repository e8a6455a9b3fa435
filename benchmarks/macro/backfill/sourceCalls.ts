import type { Address } from '#domain/address.ts'
import type { BlockRange } from './floorCalls.ts'
import type { SourceBehaviour, SourceCounts } from './sourceServer.ts'

/** What an indexer of the launchpad finds on the chain. */
export interface ChainContents {
  /** The launchpad, its tokens, curves and pools. */
  readonly addresses: readonly Address[]
  /** The number of logs of these addresses: what Tokenwire and the floor fetch. */
  readonly logs: number
  /** The number of blocks with such logs. */
  readonly blocksWithLogs: number
  /** Logs that all contestants handle: launches, graduations, trades and transfers of the tokens. */
  readonly events: number
  readonly trades: number
}

export interface SourceCalls {
  /** Loads a recorded chain and serves it on a free port of the loopback interface. */
  open(folder: string): Promise<{ readonly url: string; readonly contents: ChainContents }>
  /** The chain in the largest ranges that these limits allow for these addresses. */
  ranges(query: { readonly addresses: readonly Address[]; readonly maxBlocks: number; readonly maxLogs: number }): readonly BlockRange[]
  behave(behaviour: SourceBehaviour): void
  /** Usage since the last call; user and system CPU of the process. */
  takeCounts(_: null): SourceCounts & { readonly cpuMs: number }
}
