/* The public API of `tokenwire/client/candles`. */
export { type CandleChange, fillCandles, foldCandleChange } from './live/foldCandleChange.ts'
