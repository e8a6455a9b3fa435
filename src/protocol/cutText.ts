const encoder = new TextEncoder()

/** Bytes of UTF-8. */
export function byteLength(text: string): number {
  return encoder.encode(text).length
}

export interface CutText {
  readonly text: string
  readonly bytesSaved: number
}

/**
 * Cuts the fewest code points from the end of a text that save `bytesToSave` bytes inside a JSON document, escapes included; the whole text
 * if it has fewer bytes. The text must be well formed. Costs about a nanosecond per unit cut, since nothing is encoded.
 */
export function cutText(text: string, bytesToSave: number): CutText {
  let end = text.length
  let bytesSaved = 0
  while (end > 0 && bytesSaved < bytesToSave) {
    const unit = text.charCodeAt(--end)
    if (isLowSurrogate(unit)) {
      end--
      bytesSaved += 4
    } else bytesSaved += unitBytes(unit)
  }
  return { text: text.slice(0, end), bytesSaved }
}

/** Bytes of a code point of one UTF-16 unit after `JSON.stringify` and UTF-8 encoding. */
function unitBytes(unit: number): number {
  if (unit < 0x20) return SHORT_ESCAPES.has(unit) ? 2 : 6
  if (unit === QUOTE || unit === BACKSLASH) return 2
  if (unit < 0x80) return 1
  return unit < 0x800 ? 2 : 3
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** `\b`, `\t`, `\n`, `\f` and `\r`; other control characters are written `\u00xx`. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d])

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
