import type { LaunchpadsConfig } from '#config'
import type { Address } from '#domain/address.ts'
import { powerOfTen, units } from '#domain/decimal.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import type { Valuation } from './project/values.ts'

/** A valuation without the price of ether. */
export type ConfiguredValuation = Omit<Valuation, 'ethUsd'>

/** What the configuration says of currencies. */
export function valuationOf(
  { weth, pegUsd = [] }: { readonly weth: Address; readonly pegUsd?: LaunchpadsConfig['pegUsd'] },
  adapters: readonly Pick<LaunchpadAdapter, 'quotePool' | 'etherWrapper'>[],
): ConfiguredValuation {
  const byCurrency = Map.groupBy(
    adapters.flatMap(({ quotePool }) => quotePool ?? []),
    ({ source }) => source.token,
  )
  return {
    weth,
    quotePools: new Map([...byCurrency].map(([currency, pools]) => [currency, pools.map(({ key }) => key)])),
    etherWrappers: new Set(adapters.flatMap(({ etherWrapper }) => etherWrapper ?? [])),
    pegs: new Map(pegUsd.map(({ token, decimals }) => [token, units(powerOfTen(18), decimals)])),
  }
}
