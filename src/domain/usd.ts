import type { Claimable } from './claimable.ts'
import { multiplyTexts } from './decimal.ts'
import type { Token, TokenSnapshot } from './token.ts'

/** USD for a plain decimal WETH value; `null` when the value or the price (USD per ETH) is not known. */
export function toUsd(weth: string | null, ethUsd: string | null): string | null {
  return weth === null || ethUsd === null ? null : multiplyTexts(weth, ethUsd)
}

/** The token with the USD values of its market filled in at the given price. */
export function withUsd(token: Token, ethUsd: string | null): Token {
  if (ethUsd === null) return token
  const { priceWeth, marketCapWeth, liquidityWeth } = token.market
  return {
    ...token,
    market: {
      ...token.market,
      priceUsd: toUsd(priceWeth, ethUsd),
      marketCapUsd: toUsd(marketCapWeth, ethUsd),
      liquidityUsd: toUsd(liquidityWeth, ethUsd),
    },
  }
}

export function snapshotWithUsd(snapshot: TokenSnapshot, ethUsd: string | null): TokenSnapshot {
  return ethUsd === null ? snapshot : { ...snapshot, token: withUsd(snapshot.token, ethUsd) }
}

/** Fills in `amountUsd` of the amounts that are ETH or WETH. */
export function claimableWithUsd(claimable: Claimable, ethUsd: string | null): Claimable {
  if (ethUsd === null) return claimable
  return {
    ...claimable,
    claimable: claimable.claimable.map(entry =>
      entry.amount !== null && (entry.symbol === 'WETH' || entry.symbol === 'ETH')
        ? { ...entry, amountUsd: toUsdOfWei(entry.amount, ethUsd) }
        : entry,
    ),
  }
}

function toUsdOfWei(wei: string, ethUsd: string): string | null {
  const padded = wei.padStart(19, '0')
  return toUsd(`${padded.slice(0, -18)}.${padded.slice(-18)}`, ethUsd)
}
