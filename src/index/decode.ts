import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { decodeLogs } from '#launchpads/decodeLogs.ts'
import type { Directory } from '#launchpads/directory.ts'
import type { IndexedSource, LogSource } from '#launchpads/logSource.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'

export interface DecodeInput {
  /** Ascending by (block, log index). */
  readonly logs: readonly ChainLog[]
  /** The headers of the blocks that have logs, ascending. */
  readonly headers: readonly BlockHeader[]
  readonly directory: Pick<Directory, 'discoveries' | 'lookup'>
  readonly adapters: readonly LaunchpadAdapter[]
  readonly weth: Address
  /** What earlier batches announce that are not committed yet, so that the directory does not have it. */
  readonly announced: readonly IndexedSource[]
}

/** What logs mean. */
export interface Decoded {
  /** In order of effect. */
  readonly events: readonly TokenEvent[]
  /** Tokens and pools that the logs announce. */
  readonly discoveries: readonly IndexedSource[]
  /** Why an address is watched, including what these logs and earlier batches announce. */
  readonly directory: Pick<Directory, 'lookup'>
  /** Logs that do not fit their event. */
  readonly malformed: readonly ChainLog[]
}

/** Decodes logs. Pure. */
export function decode({ logs, headers, directory, adapters, weth, announced }: DecodeInput): Decoded {
  const discoveries = directory.discoveries(logs, announced)
  const known = new AnnouncedDirectory(directory, [...announced, ...discoveries])
  // Followed block by block, an address's logs from before the block that announces it would not be seen either.
  const seen = logs.filter(({ address, blockNumber }) => blockNumber >= known.announcedAt(address))
  const { events, malformed } = decodeLogs({ logs: seen, headers, directory: known, adapters, weth })
  return { events, discoveries, directory: known, malformed }
}

/**
 * The directory with what is announced and not committed. A class, not a closure per batch: V8 compiles code for one function, and would
 * throw the optimised lookup away with every batch.
 */
class AnnouncedDirectory {
  readonly #indexed: Pick<Directory, 'lookup'>
  readonly #announced: ReadonlyMap<Hex, IndexedSource>

  constructor(indexed: Pick<Directory, 'lookup'>, announced: readonly IndexedSource[]) {
    this.#indexed = indexed
    this.#announced = new Map(announced.map(found => [found.key, found]))
  }

  lookup(address: Hex): LogSource | undefined {
    return this.#indexed.lookup(address) ?? this.#announced.get(address)?.source
  }

  /** The block that announces the address; 0 when it is indexed already or not watched. */
  announcedAt(address: Hex): number {
    return this.#announced.get(address)?.block ?? 0
  }
}
