import { type Address, isEther } from './address.ts'
import type { Claimable } from './claimable.ts'
import { formatUnits, multiplyTexts } from './decimal.ts'
import type { Token, TokenSnapshot } from './token.ts'

/** USD for a plain decimal WETH value; `null` when the value or the price (USD per ETH) is not known. */
export function toUsd(weth: string | null, ethUsd: string | null): string | null {
  return weth === null || ethUsd === null ? null : multiplyTexts(weth, ethUsd)
}

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

/** Fills in `amountUsd` of the amounts that are ETH or WETH, by address: any token may be named "ETH". */
export function claimableWithUsd(claimable: Claimable, ethUsd: string | null, weth: Address): Claimable {
  if (ethUsd === null) return claimable
  return {
    ...claimable,
    claimable: claimable.claimable.map(entry =>
      entry.amount !== null && isEther(entry.currency, weth)
        ? { ...entry, amountUsd: toUsd(formatUnits(BigInt(entry.amount), 18), ethUsd) }
        : entry,
    ),
  }
}
