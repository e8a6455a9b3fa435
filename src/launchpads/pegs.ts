import type { LaunchpadsConfig } from '#config'
import type { Address } from '#domain/address.ts'
import { type Decimal, powerOfTen, units } from '#domain/decimal.ts'

/** What 10^18 smallest units of each pegged currency count as, in USD. */
export function pegsOf(pegUsd: LaunchpadsConfig['pegUsd'] = []): ReadonlyMap<Address, Decimal> {
  return new Map(pegUsd.map(({ token, decimals }) => [token, units(powerOfTen(18), decimals)]))
}
