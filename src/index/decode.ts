import type { Logger } from 'pino'
import type { Address, Hex } from '#domain/address.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { decodeLogs } from '#launchpads/decodeLogs.ts'
import type { Directory } from '#launchpads/directory.ts'
import type { IndexedSource, LogSource } from '#launchpads/logSource.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import type { BlockBatch } from '#sync/ports.ts'

/** A batch of which it is known what its logs mean: they need not be held any longer. */
export interface DecodedBatch extends Omit<BlockBatch, 'logs'> {
  readonly logCount: number
  readonly events: readonly TokenEvent[]
  /** What it announces; to be added to the directory once it is committed. */
  readonly discoveries: readonly IndexedSource[]
  /** Why an address is watched, what the batch and those before it announce included. */
  readonly directory: Pick<Directory, 'lookup'>
}

export interface DecodeOptions {
  readonly directory: Pick<Directory, 'discoveries' | 'lookup'>
  readonly adapters: readonly LaunchpadAdapter[]
  readonly weth: Address
  /** What batches before this one announce and the directory does not know yet. Default none. */
  readonly announced?: readonly IndexedSource[]
  readonly logger: Logger
}

/** Decodes a batch's logs. Changes nothing. */
export function decodeBatch(
  { logs, ...batch }: BlockBatch,
  { directory, adapters, weth, announced = [], logger }: DecodeOptions,
): DecodedBatch {
  const discoveries = directory.discoveries(logs, announced)
  const known = new BatchDirectory(directory, [...announced, ...discoveries])
  // Block by block, what an address did before it was announced would not have been seen.
  const seen = logs.filter(({ address, blockNumber }) => blockNumber >= known.announcedAt(address))
  const { events, malformed } = decodeLogs({ logs: seen, headers: batch.headers, directory: known, adapters, weth })
  const [first] = malformed
  if (first !== undefined) {
    const { blockNumber, txHash, logIndex, address } = first
    logger.warn(
      { count: malformed.length, first: { blockNumber, txHash, logIndex, address } },
      'passed over logs that do not fit their event',
    )
  }
  return { ...batch, logCount: logs.length, events, discoveries, directory: known }
}

/**
 * What is indexed, and what a batch and those before it announce. Not a function made per batch: optimised code is made for one function, and V8 would
 * throw all that looks addresses up away with it, to compile it anew for the next batch.
 */
class BatchDirectory {
  readonly #indexed: Pick<Directory, 'lookup'>
  readonly #announced: ReadonlyMap<Hex, IndexedSource>

  constructor(indexed: Pick<Directory, 'lookup'>, announced: readonly IndexedSource[]) {
    this.#indexed = indexed
    this.#announced = new Map(announced.map(found => [found.key, found]))
  }

  lookup(address: Hex): LogSource | undefined {
    return this.#indexed.lookup(address) ?? this.#announced.get(address)?.source
  }

  /** The block that announces it, 0 where it is indexed or never watched. */
  announcedAt(address: Hex): number {
    return this.#announced.get(address)?.block ?? 0
  }
}
