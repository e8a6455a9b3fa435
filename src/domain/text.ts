/** The maximum number of code points kept of each text of a token's creator. Front ends show far fewer. */
export const TEXT_LIMITS = { symbol: 128, quoteSymbol: 32, surface: 64, name: 512, metadataUri: 8_192, description: 4_096 } as const

/**
 * A creator's text as it is stored and sent: without NUL, which PostgreSQL refuses, with U+FFFD for broken surrogates, and cut to the
 * limit. All else, bidi marks included, stays as it is on the chain.
 *
 * @returns `null` for an empty text
 */
export function cleanText(text: string, limitCodePoints: number): string | null {
  // Cut first, since a code point has at most two units: the cost of a megabyte is that of the limit.
  const storable = text.replaceAll('\0', '')
  const units = storable.slice(0, limitCodePoints * 2 + 1)
  const clean = [...units.toWellFormed()].slice(0, limitCodePoints).join('')
  // Where the first cut has split a surrogate pair, the last U+FFFD is not the creator's.
  const cut = units.length < storable.length && clean.endsWith('�') ? clean.slice(0, -1) : clean
  return cut === '' ? null : cut
}

/** A creator's texts, each cleaned and cut to its limit. */
export function cleanTokenTexts(texts: { readonly symbol: string; readonly name: string; readonly metadataUri: string }) {
  return {
    symbol: cleanText(texts.symbol, TEXT_LIMITS.symbol),
    name: cleanText(texts.name, TEXT_LIMITS.name),
    metadataUri: cleanText(texts.metadataUri, TEXT_LIMITS.metadataUri),
  }
}

const CONTROLS = /\p{Cc}/gu

/** The symbol of a quote currency as it is shown: short, and without control characters. */
export function cleanQuoteSymbol(symbol: string | null): string | null {
  return symbol === null ? null : cleanLabel(symbol, TEXT_LIMITS.quoteSymbol)
}

/** A short text without control characters and outer spaces; `null`: nothing is left. */
export function cleanLabel(text: string, limitCodePoints: number): string | null {
  return cleanText(text.replaceAll(CONTROLS, '').trim(), limitCodePoints)
}

/** Whether each `%` of a part of a URL begins the code of a byte, and the bytes are UTF-8, so that it can be decoded. */
export function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/**
 * The known name that takes the fewest changes of letters to get from the given one, regardless of case. `null`: none is known, or each
 * takes more than `most` changes.
 */
export function nearestName(given: string, known: readonly string[], most = Infinity): string | null {
  let nearest: { readonly name: string; readonly changes: number } | null = null
  for (const name of known) {
    if (Math.abs(name.length - given.length) > most) continue
    const changes = changesBetween(given.toLowerCase().slice(0, MAX_COMPARED), name.toLowerCase())
    if (nearest === null || changes < nearest.changes) nearest = { name, changes }
  }
  return nearest !== null && nearest.changes <= most ? nearest.name : null
}

/** Longer names differ from every known one by as much. */
const MAX_COMPARED = 40

/** Levenshtein's distance: the letters to add, remove or replace. */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (let at = 0; at < to.length; at++) {
      next.push(Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + (letter === to[at] ? 0 : 1)))
    }
    row = next
  }
  return row[to.length] ?? 0
}

/** A value as JSON for an error message, at most 80 characters. */
export function abbreviate(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}
