import type { Address } from '#domain/address.ts'
import type { BlockRange } from './floorCalls.ts'
import type { RecordedChain } from './recordedChain.ts'

/** Splits the chain into the largest ranges within the limits of blocks and logs. */
export function splitIntoRanges(
  chain: RecordedChain,
  { addresses, maxBlocks, maxLogs }: { readonly addresses: readonly Address[]; readonly maxBlocks: number; readonly maxLogs: number },
): readonly BlockRange[] {
  const ranges: { from: number; to: number; blocks: number[] }[] = []
  let held = 0
  for (let number = 0; number <= chain.head; number++) {
    const { count } = chain.logs({ from: number, to: number, addresses, topics: [] }, 0)
    let last = ranges.at(-1)
    if (last === undefined || number - last.from >= maxBlocks || held + count > maxLogs) {
      last = { from: number, to: number, blocks: [] }
      ranges.push(last)
      held = 0
    }
    last.to = number
    held += count
    if (count > 0) last.blocks.push(number)
  }
  return ranges
}
