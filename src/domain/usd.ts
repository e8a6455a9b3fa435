import { type Address, isEther } from './address.ts'
import type { Claimable, ClaimableAmount } from './claimable.ts'
import { type Decimal, formatDecimal, formatUnits, multiplyTexts, parseDecimal } from './decimal.ts'
import type { Holding } from './holding.ts'
import type { Token } from './token.ts'
import type { TokenSnapshot } from './tokenSnapshot.ts'
import type { ValuedBalance } from './valuedBalance.ts'

/** USD for a plain decimal WETH value; `null` when the value or the price (USD per ETH) is not known. */
export function toUsd(weth: string | null, ethUsd: string | null): string | null {
  return weth === null || ethUsd === null ? null : multiplyTexts(weth, ethUsd)
}

/** Fills in the USD values that no peg has given. */
export function withUsd(token: Token, ethUsd: string | null): Token {
  if (ethUsd === null) return token
  const { priceWeth, marketCapWeth, liquidityWeth, priceUsd, marketCapUsd, liquidityUsd } = token.market
  return {
    ...token,
    market: {
      ...token.market,
      priceUsd: priceUsd ?? toUsd(priceWeth, ethUsd),
      marketCapUsd: marketCapUsd ?? toUsd(marketCapWeth, ethUsd),
      liquidityUsd: liquidityUsd ?? toUsd(liquidityWeth, ethUsd),
    },
  }
}

export function snapshotWithUsd(snapshot: TokenSnapshot, ethUsd: string | null): TokenSnapshot {
  return ethUsd === null ? snapshot : { ...snapshot, token: withUsd(snapshot.token, ethUsd) }
}

/** Fills in the values that depend on the present price. What was paid stays in USD of its time. */
export function balanceWithUsd<Balance extends ValuedBalance>(balance: Balance, ethUsd: string | null): Balance {
  const valueUsd = balance.valueUsd ?? toUsd(balance.valueWeth, ethUsd)
  return { ...balance, valueUsd, unrealizedUsd: difference(valueUsd, balance.costUsd) }
}

export function holdingWithUsd(holding: Holding, ethUsd: string | null): Holding {
  const { token } = holding
  return { ...balanceWithUsd(holding, ethUsd), token: { ...token, priceUsd: token.priceUsd ?? toUsd(token.priceWeth, ethUsd) } }
}

function difference(a: string | null, b: string | null): string | null {
  return a === null || b === null ? null : formatDecimal((parseDecimal(a) - parseDecimal(b)) as Decimal)
}

/** The currencies that are valued in USD by address: WETH by the ETH price, the others by their peg. */
export interface UsdCurrencies {
  readonly weth: Address
  readonly pegUsd?: readonly { readonly token: Address; readonly decimals: number }[]
}

export function claimableWithUsd(claimable: Claimable, ethUsd: string | null, currencies: UsdCurrencies): Claimable {
  return { ...claimable, claimable: claimable.claimable.map(entry => amountWithUsd(entry, ethUsd, currencies)) }
}

/** Fills in `amountUsd` of an amount that is ETH, WETH or pegged, by address: any token may be named "ETH". */
export function amountWithUsd<Amount extends ClaimableAmount>(
  entry: Amount,
  ethUsd: string | null,
  { weth, pegUsd = [] }: UsdCurrencies,
): Amount {
  const { amount, currency } = entry
  if (amount === null) return entry
  if (isEther(currency, weth)) return { ...entry, amountUsd: toUsd(formatUnits(BigInt(amount), 18), ethUsd) }
  const peg = pegUsd.find(({ token }) => token === currency)
  return peg === undefined ? entry : { ...entry, amountUsd: formatUnits(BigInt(amount), peg.decimals) }
}
