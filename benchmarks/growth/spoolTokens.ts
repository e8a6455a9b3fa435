import { dayOf, linesOf } from './growthTables.ts'
import { type GrowthScale, tradeCounts } from './scale.ts'
import { openSpool } from './spool.ts'
import { tokenEvents } from './tokenEvents.ts'
import { planToken } from './tokenPlan.ts'
import { tokenRows } from './tokenRows.ts'

/**
 * Generates the rows of every `shares`-th token from `share` on and writes them to the spool.
 *
 * @param onProgress called with the number of trades generated since the last call
 */
export function spoolTokens(
  scale: GrowthScale,
  folder: string,
  { share, shares, onProgress }: { readonly share: number; readonly shares: number; readonly onProgress: (trades: number) => void },
): void {
  const spool = openSpool(folder, share)
  let made = 0
  for (const [rank, trades] of tradeCounts(scale).entries()) {
    if (rank % shares !== share) continue
    const plan = planToken(scale, rank, trades)
    for (const line of linesOf(scale, tokenRows(scale, plan, tokenEvents(scale, plan)))) spool.add(line, dayOf(scale, line.writtenAt))
    made += trades
    if (made < 20_000) continue
    onProgress(made)
    made = 0
  }
  onProgress(made)
  spool.close()
}
