/* The public API of `tokenwire/client/candles`. */
export { type CandleChange, fillCandles, foldCandles } from './foldCandles.ts'
