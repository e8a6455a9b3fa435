import type { Address } from '#domain/address.ts'
import type { LaunchpadAdapter } from './adapter.ts'

/** The quote currencies, beside WETH, of which every unit is a wei of ETH. */
export function etherWrappersOf(adapters: readonly Pick<LaunchpadAdapter, 'etherWrapper'>[]): ReadonlySet<Address> {
  return new Set(adapters.flatMap(({ etherWrapper }) => etherWrapper ?? []))
}
