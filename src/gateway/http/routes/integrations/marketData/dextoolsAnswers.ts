import type { ListedAsset, PairEvent, SideAmounts } from '#resources/marketData.ts'
import { toSiteAsset, toSiteBlock, toSiteReserves, toSwapAmounts } from './siteAnswers.ts'
import { siteId } from './siteIds.ts'

/* Answers in DEXTools' format. Amounts are decimals, and one index orders all events of a block. */

export function toDextoolsAsset({ holderCount, totalSupply, circulatingSupply, ...asset }: ListedAsset) {
  return {
    ...toSiteAsset({ ...asset, holderCount, totalSupply: null, circulatingSupply: null, links: [] }),
    ...(totalSupply !== null && { totalSupply: withFraction(totalSupply) }),
    ...(circulatingSupply !== null && { circulatingSupply: withFraction(circulatingSupply) }),
    ...(holderCount !== null && { holdersCount: holderCount }),
  }
}

/** The events of one log; none for a pair whose reserves are in no event. */
export function toDextoolsEvents(event: PairEvent) {
  const { blockNumber, timestamp, txHash, txIndex, maker, pair } = event
  const place = {
    block: toSiteBlock({ number: blockNumber, timestamp }),
    eventType: event.kind,
    txnId: txHash,
    txnIndex: txIndex,
    eventIndex: eventIndex(event),
    maker: siteId(maker),
    pairId: siteId(pair),
  }
  if (event.kind === 'creation') return event.pairType === 'uniswap-v4' ? [] : [place]
  if (event.reserves === null) return []
  const { token, quote } = fractions(event.amounts)
  return [
    {
      ...place,
      ...(event.kind === 'swap' ? toSwapAmounts(event.side, { token, quote }) : { amount0: token, amount1: quote }),
      reserves: toSiteReserves(fractions(event.reserves)),
    },
  ]
}

/** The place of an event within its block. One log may create a curve and a pool, and be a trade as well. */
function eventIndex({ kind, pairType, logIndex }: PairEvent): number {
  const rank = kind !== 'creation' ? 2 : pairType === 'curve' ? 0 : 1
  return 3 * logIndex + rank
}

function fractions({ token, quote }: SideAmounts): SideAmounts {
  return { token: withFraction(token), quote: withFraction(quote) }
}

function withFraction(amount: string): string {
  return amount.includes('.') ? amount : `${amount}.0`
}
