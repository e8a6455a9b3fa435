/* The public API of `tokenwire/client/format`. */
export { formatCompact, formatPrice, fromUnits, toUnits } from './decimalText.ts'
