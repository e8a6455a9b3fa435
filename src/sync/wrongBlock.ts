import type { ChainSource } from '#chain/chainSource.ts'
import type { BlockTime } from '#store/rows/blockTimes.ts'

/** A stored block of which the chain shows another hash or time. */
export interface WrongBlock {
  readonly stored: BlockTime
  readonly shown: BlockTime
}

/**
 * The first of some stored blocks that the chain shows with another hash or time.
 *
 * @throws `RpcError`
 */
export async function findWrongBlock(source: Pick<ChainSource, 'headers'>, stored: readonly BlockTime[]): Promise<WrongBlock | null> {
  const headers = await source.headers(stored.map(({ number }) => number))
  for (const [index, block] of stored.entries()) {
    const shown = headers[index]
    if (shown !== undefined && (shown.hash !== block.hash || shown.timestamp !== block.timestamp)) return { stored: block, shown }
  }
  return null
}

/** What differs, and the command that mends it, for the log. */
export function wrongBlockSentence({ stored, shown }: WrongBlock): string {
  const difference =
    stored.hash === shown.hash
      ? `is stored with the time ${stored.timestamp}, and the chain shows ${shown.timestamp}`
      : `is stored with the hash ${stored.hash}, and the chain shows ${shown.hash}`
  return `Block ${stored.number} ${difference}. Stop the service and run: npm run db:rewind -- ${stored.number}`
}
