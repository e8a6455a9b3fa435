import { windowFields } from '#domain/windows.ts'
import type { TokenEventOf } from '#launchpads/tokenEvent.ts'
import type { TokenRow } from '#tables/token.ts'

/** The row of a token at its launch: nothing minted, nothing traded. */
export function launchedToken(event: TokenEventOf<'launch'>): TokenRow {
  return {
    address: event.token,
    launchpad: event.launchpad,
    symbol: event.symbol,
    name: event.name,
    decimals: event.decimals,
    totalSupply: event.totalSupply ?? 0n,
    creator: event.creator,
    createdAt: event.timestamp,
    createdBlock: event.blockNumber,
    createdTxHash: event.txHash,
    metadataUri: event.metadataUri,
    mainPool: null,
    priceWeth: null,
    firstPriceWeth: null,
    athPriceWeth: null,
    marketCapWeth: null,
    liquidityWeth: null,
    tradeCount: 0,
    holderCount: 0,
    lastTradeAt: null,
    ...windowFields('volume', () => 0n),
    ...windowFields('buys', () => 0),
    ...windowFields('sells', () => 0),
    ...windowFields('referencePrice', () => null),
    ...windowFields('priceChange', () => null),
    windowsAt: event.timestamp,
    windowsExpireAt: null,
    creatorFeeBps: event.creatorFeeBps,
    feesAccrued: event.feesReported.accrued ? 0n : null,
    feesClaimed: event.feesReported.claimed ? 0n : null,
    graduationStatus: event.graduation.status,
    graduationPercent: null,
    raised: null,
    target: event.graduation.target,
    completedAt: null,
    migratedAt: null,
    graduatedPool: null,
    graduatedPriceWeth: null,
    graduationTxHash: null,
    asOfBlock: event.blockNumber,
  }
}
