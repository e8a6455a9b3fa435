import type { Address } from '#domain/address.ts'
import type { Stretch } from './floorCalls.ts'
import type { SourceBehaviour, SourceCounts } from './sourceServer.ts'

/** What the chain holds for indexers of its launchpad. */
export interface ChainContents {
  /** The launchpad, its tokens, curves and pools. */
  readonly addresses: readonly Address[]
  /** Logs of these addresses: what Tokenwire and the floor fetch. */
  readonly logs: number
  /** Blocks that hold them. */
  readonly blocksWithLogs: number
  /** Logs that all contestants handle: launches, graduations, trades and transfers of the tokens. */
  readonly events: number
  readonly trades: number
}

export interface SourceCalls {
  /** Loads a recorded chain and serves it on a free port of the loopback interface. */
  open(folder: string): Promise<{ readonly url: string; readonly contents: ChainContents }>
  /** The chain cut into the largest pieces that these limits allow for these addresses. */
  stretches(query: { readonly addresses: readonly Address[]; readonly mostBlocks: number; readonly mostLogs: number }): readonly Stretch[]
  behave(behaviour: SourceBehaviour): void
  /** Since it was asked last; CPU of the process, user and system. */
  takeCounts(_: null): SourceCounts & { readonly cpuMs: number }
}
