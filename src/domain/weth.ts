/** The decimals of WETH, the same as those of ETH. */
export const WETH_DECIMALS = 18
/** One WETH in wei. */
export const WETH_UNIT = 10n ** 18n
