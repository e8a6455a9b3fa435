import type { Address, Hex } from '#domain/address.ts'
import type { DecodedLogs } from '#launchpads/adapter.ts'
import { type DatedDirectory, decodeLogs, type LogsToDecode } from '#launchpads/decodeLogs.ts'
import type { Directory } from '#launchpads/directory/directory.ts'
import type { IndexedSource, LogSource } from '#launchpads/logSource.ts'

type IndexedDirectory = Pick<Directory, 'lookup'> & Pick<DatedDirectory, 'contractOf'>

export interface DecodeInput extends Omit<LogsToDecode, 'directory'> {
  readonly directory: IndexedDirectory & Pick<Directory, 'discoveries'>
  /** The sources that earlier batches announce, as long as these are not committed. */
  readonly announced: readonly IndexedSource[]
}

export interface Decoded extends DecodedLogs {
  /** Tokens and pools that the logs announce. */
  readonly discoveries: readonly IndexedSource[]
  /** The watched sources, including those that these logs and earlier batches announce. */
  readonly directory: DatedDirectory
}

/** Turns logs into token events, by the directory's sources and those that these logs and earlier batches announce. Pure. */
export function decode({ logs, headers, directory, adapters, announced }: DecodeInput): Decoded {
  const discoveries = directory.discoveries(logs, announced)
  const known = new AnnouncedDirectory(directory, [...announced, ...discoveries])
  // Logs of an address before the block that announces it are left out, since indexing block by block would not see them.
  const seen = logs.filter(({ address, blockNumber }) => blockNumber >= known.announcedAt(address))
  const { events, malformed } = decodeLogs({ logs: seen, headers, directory: known, adapters })
  return { events, discoveries, directory: known, malformed }
}

/**
 * The directory and the sources that are announced but not committed. It is a class, since V8 would optimise the lookup of a closure again
 * for every batch.
 */
class AnnouncedDirectory {
  readonly #indexed: IndexedDirectory
  readonly #announced: ReadonlyMap<Hex, IndexedSource>

  constructor(indexed: IndexedDirectory, announced: readonly IndexedSource[]) {
    this.#indexed = indexed
    this.#announced = new Map(announced.map(found => [found.key, found]))
  }

  lookup(address: Hex): LogSource | undefined {
    return this.#indexed.lookup(address) ?? this.#announced.get(address)?.source
  }

  contractOf(launchpad: string, address: Address): LogSource | undefined {
    return this.#indexed.contractOf?.(launchpad, address)
  }

  /** The block that announces the address; 0 when it is indexed already or not watched. */
  announcedAt(address: Hex): number {
    return this.#announced.get(address)?.block ?? 0
  }
}
