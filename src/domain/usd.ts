import { type Address, isEther } from './address.ts'
import type { Claimable, ClaimableAmount } from './claimable.ts'
import { type Decimal, formatDecimal, formatUnits, multiplyTexts, parseDecimal } from './decimal.ts'
import type { Holding } from './holding.ts'
import type { Token, TokenSnapshot } from './token.ts'
import type { ValuedBalance } from './valuedBalance.ts'

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

/** Fills in what depends on the present price: what was paid is in USD of its time. */
export function balanceWithUsd<Balance extends ValuedBalance>(balance: Balance, ethUsd: string | null): Balance {
  const valueUsd = toUsd(balance.valueWeth, ethUsd)
  return { ...balance, valueUsd, unrealizedUsd: difference(valueUsd, balance.costUsd) }
}

export function holdingWithUsd(holding: Holding, ethUsd: string | null): Holding {
  const { token } = holding
  return { ...balanceWithUsd(holding, ethUsd), token: { ...token, priceUsd: toUsd(token.priceWeth, ethUsd) } }
}

function difference(a: string | null, b: string | null): string | null {
  return a === null || b === null ? null : formatDecimal((parseDecimal(a) - parseDecimal(b)) as Decimal)
}

export function claimableWithUsd(claimable: Claimable, ethUsd: string | null, weth: Address): Claimable {
  if (ethUsd === null) return claimable
  return { ...claimable, claimable: claimable.claimable.map(entry => amountWithUsd(entry, ethUsd, weth)) }
}

/** Fills in `amountUsd` of an amount that is ETH or WETH, by address: any token may be named "ETH". */
export function amountWithUsd<Amount extends ClaimableAmount>(entry: Amount, ethUsd: string | null, weth: Address): Amount {
  return entry.amount !== null && isEther(entry.currency, weth)
    ? { ...entry, amountUsd: toUsd(formatUnits(BigInt(entry.amount), 18), ethUsd) }
    : entry
}
