/** Longer texts are cut before anything else looks at them: a name may be a megabyte. */
const MOST_UNITS = 512

/** Combining marks beyond this many in a row climb over the lines above and below. */
const STACKED_MARKS = /(\p{M}{2})\p{M}+/gu

/**
 * What somebody else has written, made fit to be shown: at most so many characters, without control characters, marks that turn or hide
 * text, and line breaks. It still has to be put into a page as text, and isolated (`<bdi>`) where it is not alone.
 *
 * @returns `null` when nothing is left that can be seen
 */
export function displayText(text: string | null, most = 64): string | null {
  if (text === null) return null
  const shown = text
    .slice(0, MOST_UNITS)
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}\u{115f}\u{1160}\u{2800}\u{3164}\u{ffa0}\u{fffd}]+/gu, ' ')
    .replaceAll(STACKED_MARKS, '$1')
    .trim()
  if (shown === '') return null
  const characters = Array.from(shown)
  return characters.length <= most && text.length <= MOST_UNITS
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
