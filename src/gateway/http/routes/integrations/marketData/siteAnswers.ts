import type { ListedAsset, ListedPair, PairEvent, SideAmounts } from '#resources/marketData.ts'
import { siteId } from './siteIds.ts'

/* Answers in the format of DEX Screener and GeckoTerminal: asset0 is the token, asset1 its quote currency. */

export function toSiteBlock({ number, timestamp }: { readonly number: number; readonly timestamp: number }) {
  return { blockNumber: number, blockTimestamp: timestamp }
}

export function toSiteAsset({ id, name, symbol, totalSupply, circulatingSupply, links }: ListedAsset) {
  return {
    id: siteId(id),
    name,
    symbol,
    ...(totalSupply !== null && { totalSupply }),
    ...(circulatingSupply !== null && { circulatingSupply }),
    // The first link of each kind.
    ...(links.length > 0 && { metadata: Object.fromEntries(links.toReversed().map(({ kind, url }) => [kind, url])) }),
  }
}

export function toSitePair({ id, launchpad, token, quoteToken, createdBlock, createdAt, creationTxHash, creator, feeBps }: ListedPair) {
  return {
    id: siteId(id),
    dexKey: launchpad,
    asset0Id: siteId(token),
    asset1Id: siteId(quoteToken),
    createdAtBlockNumber: createdBlock,
    createdAtBlockTimestamp: createdAt,
    createdAtTxnId: creationTxHash,
    creator: siteId(creator),
    ...(feeBps !== null && { feeBps }),
  }
}

/** The events of one log; none for the creation of a pair, which these sites read from the pair itself. */
export function toSiteEvents(event: PairEvent) {
  if (event.kind === 'creation') return []
  const { blockNumber, timestamp, txHash, txIndex, logIndex, maker, pair, reserves } = event
  return [
    {
      block: toSiteBlock({ number: blockNumber, timestamp }),
      eventType: event.kind,
      txnId: txHash,
      txnIndex: txIndex,
      eventIndex: logIndex,
      maker: siteId(maker),
      pairId: siteId(pair),
      ...(event.kind === 'swap'
        ? { ...toSwapAmounts(event.side, event.amounts), priceNative: event.price }
        : { amount0: event.amounts.token, amount1: event.amounts.quote }),
      ...(reserves !== null && { reserves: toSiteReserves(reserves) }),
    },
  ]
}

/** The amounts that went into the pair and came out of it, as plain decimals. */
export function toSwapAmounts(side: 'buy' | 'sell', { token, quote }: SideAmounts) {
  return side === 'buy' ? { asset1In: quote, asset0Out: token } : { asset0In: token, asset1Out: quote }
}

export function toSiteReserves({ token, quote }: SideAmounts) {
  return { asset0: token, asset1: quote }
}
