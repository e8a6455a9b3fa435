import type { Address } from '#domain/address.ts'
import type { Stretch } from './floorCalls.ts'
import type { RecordedChain } from './recordedChain.ts'

/** Cuts the chain into the largest pieces that hold no more blocks and logs than allowed. */
export function stretchesOf(
  chain: RecordedChain,
  { addresses, mostBlocks, mostLogs }: { readonly addresses: readonly Address[]; readonly mostBlocks: number; readonly mostLogs: number },
): readonly Stretch[] {
  const stretches: { from: number; to: number; blocks: number[] }[] = []
  let held = 0
  for (let number = 0; number <= chain.head; number++) {
    const { count } = chain.logs({ from: number, to: number, addresses, topics: [] }, 0)
    let last = stretches.at(-1)
    if (last === undefined || number - last.from >= mostBlocks || held + count > mostLogs) {
      last = { from: number, to: number, blocks: [] }
      stretches.push(last)
      held = 0
    }
    last.to = number
    held += count
    if (count > 0) last.blocks.push(number)
  }
  return stretches
}
