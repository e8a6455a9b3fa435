import { byteLength } from '#protocol/cutText.ts'
import { MAX_MESSAGE_BYTES } from '#protocol/limits.ts'
import type { Candle } from '#resources/candles.ts'

/** The most bytes of a message besides its candles: its type, an `id` of 64 escaped characters, sequence and `from`. */
const HEAD_BYTES = 1_024

/** The newest candles of a token that fit into a message. */
export interface CandleWindow {
  /** Candles by ascending time. `text`: the candle as JSON. */
  readonly candles: readonly { readonly time: number; readonly text: string }[]
  /** Whether the token has no older candles. */
  readonly isWhole: boolean
}

/** The window of the newest of some candles. @param hasOlder whether the token has candles before these, whose times ascend */
export function candleWindowOf(candles: readonly Candle[], hasOlder: boolean): CandleWindow {
  const encoded = candles.map(candle => ({ time: candle.time, text: JSON.stringify(candle) }))
  let left = MAX_MESSAGE_BYTES - HEAD_BYTES
  const oldest = encoded.findLastIndex(({ text }) => {
    left -= byteLength(text) + 1
    return left < 0
  })
  return { candles: encoded.slice(oldest + 1), isWhole: !hasOlder && oldest < 0 }
}

/**
 * The Unix seconds from which on candles have changed, appeared or disappeared; 0: any candle may have, because the windows share none;
 * `null`: no candle has. A commit or a reorg changes only the newest candles, so all before an unchanged one are the same.
 */
export function changedFrom(before: CandleWindow, after: CandleWindow): number | null {
  const areWhole = before.isWhole && after.isWhole
  const start = areWhole ? 0 : Math.max(startOf(before), startOf(after))
  const older = before.candles.filter(({ time }) => time >= start)
  const newer = after.candles.filter(({ time }) => time >= start)
  let same = 0
  while (same < older.length && older[same]?.text === newer[same]?.text) same++
  if (same === 0 && !areWhole) return 0
  // Candles have disappeared, and older ones that clients may not have are now in the window.
  if (!before.isWhole && startOf(after) < start) return startOf(after)
  if (same === older.length && same === newer.length) return null
  return Math.min(older[same]?.time ?? Number.POSITIVE_INFINITY, newer[same]?.time ?? Number.POSITIVE_INFINITY)
}

function startOf({ candles }: CandleWindow): number {
  return candles[0]?.time ?? 0
}
