/** Longer texts are cut before anything else is done with them: a token's name may have a megabyte. */
const MAX_UNITS = 512

/** More than two combining marks in a row reach into the lines above and below. */
const STACKED_MARKS = /(\p{M}{2})\p{M}+/gu

/**
 * Makes a text from the chain safe to show: at most `most` characters, no control characters, line breaks, or characters that
 * reverse or hide text. The caller still has to insert it as text, and to isolate it (`<bdi>`) beside other text.
 *
 * @returns `null` when no visible character is left
 */
export function displayText(text: string | null, most = 64): string | null {
  if (text === null) return null
  const shown = text
    .slice(0, MAX_UNITS)
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}\u{115f}\u{1160}\u{2800}\u{3164}\u{ffa0}\u{fffd}]+/gu, ' ')
    .replaceAll(STACKED_MARKS, '$1')
    .trim()
  if (shown === '') return null
  const characters = Array.from(shown)
  return characters.length <= most && text.length <= MAX_UNITS
    ? shown
    : `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
}

/** `0x1234…abcd` */
export function shortHex(hex: string): string {
  return hex.length <= 12 ? hex : `${hex.slice(0, 6)}…${hex.slice(-4)}`
}
