const encoder = new TextEncoder()

export function byteLength(text: string): number {
  return encoder.encode(text).length
}

/** How many bytes of UTF-8 a text has inside a JSON document, escapes counted, its quotes not. */
export function jsonBytes(text: string): number {
  let bytes = 0
  for (const character of text) bytes += characterBytes(character)
  return bytes
}

/** The longest beginning of a text that has at most so many bytes inside a JSON document; it ends between two code points. */
export function cutText(text: string, maxBytes: number): string {
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += characterBytes(character)
    if (bytes > maxBytes) return text.slice(0, end)
    end += character.length
  }
  return text
}

/** What `JSON.stringify` and UTF-8 make of one code point, given as a string of one or two UTF-16 units. */
function characterBytes(character: string): number {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return SHORT_ESCAPES.has(code) ? 2 : 6
  if (code === QUOTE || code === BACKSLASH) return 2
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  if (code >= 0xd800 && code <= 0xdfff) return 6
  return code < 0x10000 ? 3 : 4
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** `\b`, `\t`, `\n`, `\f` and `\r`; other control characters are written `\u00xx`. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d])
