import {
  type Decimal,
  formatAmount,
  formatDecimal,
  formatUnits,
  multiply,
  parseDecimal,
  percentOf,
  powerOfTen,
  ratio,
  units,
} from '#domain/decimal.ts'
import type { ValuedBalance } from '#resources/valuedBalance.ts'
import type { BalanceRow } from '#tables/balance.ts'

/** The decimals of amounts in wei and in 10^-18 USD. */
const DECIMALS = 18

/** The columns of a token by which a balance is valued, as the driver returns them. */
export interface StoredPrice {
  readonly totalSupply: string
  readonly decimals: number
  readonly priceWeth: string | null
  /** The price by a peg; `null`: there is no peg. */
  readonly priceUsd: string | null
}

/** Values a balance. Leaves out USD values at the present price of ETH. */
export function valueBalance(row: BalanceRow, { totalSupply, decimals, priceWeth, priceUsd }: StoredPrice): ValuedBalance {
  const { costWei, costUsd, realizedWei, realizedUsd } = row
  const balance = row.balance < 0n ? null : row.balance
  const valueAt = (price: string | null) =>
    balance === null || price === null ? null : multiply(parseDecimal(price), units(balance, decimals))
  const [value, valueUsd] = [valueAt(priceWeth), valueAt(priceUsd)]
  const perToken = (cost: bigint | null) => {
    const average = cost === null || balance === null ? null : ratio(cost * powerOfTen(decimals), balance * powerOfTen(DECIMALS))
    return average === null ? null : formatDecimal(average)
  }
  return {
    balance: balance?.toString() ?? null,
    percent: balance === null ? null : (percentOf(balance, BigInt(totalSupply)) ?? 0),
    valueWeth: value === null ? null : formatAmount(value),
    valueUsd: valueUsd === null ? null : formatAmount(valueUsd),
    costWeth: wholeOf(costWei),
    costUsd: wholeOf(costUsd),
    averageCostWeth: perToken(costWei),
    averageCostUsd: perToken(costUsd),
    unrealizedWeth: value === null || costWei === null ? null : formatAmount((value - units(costWei, DECIMALS)) as Decimal),
    unrealizedUsd: null,
    realizedWeth: wholeOf(realizedWei),
    realizedUsd: wholeOf(realizedUsd),
  }
}

/** Wei as WETH, or 10^-18 USD as USD. */
export function wholeOf(amount: bigint): string
export function wholeOf(amount: bigint | null): string | null
export function wholeOf(amount: bigint | null): string | null {
  return amount === null ? null : formatUnits(amount, DECIMALS)
}
