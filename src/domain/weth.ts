import type { Address } from './address.ts'

/** The decimals of WETH, the same as those of ETH. */
export const WETH_DECIMALS = 18
/** One WETH in wei. */
export const WETH_UNIT = 10n ** 18n

/** The WETH of Base. Contracts that adapters know beforehand are of that chain. */
export const BASE_WETH = '0x4200000000000000000000000000000000000006' as Address
