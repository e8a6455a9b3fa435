import type { TradesSince } from '#resources/recentTrades.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'

const encoder = new TextEncoder()

/** The largest state as JSON, in bytes of UTF-8: with `trades` of `null` and a `replacedFrom` it fills a whole message. */
export const MAX_STATE_BYTES = MAX_MESSAGE_BYTES - tradesText({ trades: null, replacedFrom: Number.MAX_SAFE_INTEGER }).length

/** A whole update: a beginning by `encodeUpdate` and its trades, or `null` in their place where they don't fit. At most 16,384 bytes. */
export function withTrades(beginning: Uint8Array, since: TradesSince): Uint8Array {
  const end = encoder.encode(`${tradesText(since)}}`)
  const length = beginning.length + end.length
  if (length > MAX_MESSAGE_BYTES && since.trades !== null) return withTrades(beginning, { ...since, trades: null })
  const update = new Uint8Array(length)
  update.set(beginning)
  update.set(end, beginning.length)
  return update
}

function tradesText({ trades, replacedFrom }: TradesSince): string {
  const replaced = replacedFrom === null ? '' : `,"replacedFrom":"${replacedFrom}"`
  return `,"trades":${JSON.stringify(trades)}${replaced}`
}
