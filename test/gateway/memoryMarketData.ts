import type { Address } from '#domain/address.ts'
import type { Holder } from '#resources/holders.ts'
import type { DayTotals, FinalBlock, ListedAsset, ListedPair, PairEvent } from '#resources/marketData.ts'
import type { Reads } from '#resources/reads.ts'

/** What the fake storage holds for market-data sites. */
export interface StoredMarketData {
  finality: FinalBlock | null
  pairs: ListedPair[]
  assets: ListedAsset[]
  dayTotals: DayTotals[]
  pairEvents: PairEvent[] | 'unread'
}

interface StoredHolders {
  readonly holders: ReadonlyMap<Address, readonly Holder[]>
}

/** The part of `Reads` for market-data sites. @param before what every query awaits before it answers */
export function memoryMarketData(
  stored: StoredMarketData & StoredHolders,
  before: () => Promise<void>,
): Pick<Reads, 'finality' | 'pairEvents' | 'pair' | 'asset' | 'block' | 'holdersFrom' | 'dayTotals'> {
  return {
    async finality() {
      await before()
      return stored.finality
    },
    async pairEvents(_launchpad, { fromBlock, toBlock }, limit) {
      await before()
      if (stored.pairEvents === 'unread') return 'unread'
      const found = stored.pairEvents.filter(({ blockNumber }) => blockNumber >= fromBlock && blockNumber <= toBlock)
      return found.length > limit ? 'tooMany' : found
    },
    async pair(id) {
      await before()
      return stored.pairs.find(pair => pair.id === id) ?? null
    },
    async asset(id) {
      await before()
      return stored.assets.find(asset => asset.id === id) ?? null
    },
    async block(at) {
      await before()
      const blocks = stored.pairEvents === 'unread' ? [] : stored.pairEvents
      const isAsked = (number: number, time: number) => ('number' in at ? number === at.number : time <= at.timestamp)
      const found = blocks.findLast(({ blockNumber, timestamp }) => isAsked(blockNumber, timestamp))
      return found === undefined ? null : { number: found.blockNumber, timestamp: found.timestamp }
    },
    async dayTotals(tokens) {
      await before()
      return stored.dayTotals.filter(({ token }) => tokens.includes(token))
    },
    async holdersFrom(token, place, limit) {
      await before()
      return (stored.holders.get(token) ?? []).slice(place, place + limit)
    },
  }
}
