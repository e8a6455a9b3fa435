/** Code points kept of each text that comes from a token's creator; what the field's own front ends show is far shorter. */
export const TEXT_LIMITS = { symbol: 128, name: 512, metadataUri: 8_192, description: 4_096 } as const

/**
 * Makes a creator's text fit to store and send: NUL, which PostgreSQL refuses, goes; broken surrogates become U+FFFD; the rest, bidi marks
 * included, stays as it is on chain, up to the limit. Empty text is not known text.
 */
export function cleanText(text: string, limitCodePoints: number): string | null {
  // A code point is at most two units: cut first, so that a megabyte costs no more than the limit.
  const storable = text.replaceAll('\0', '')
  const units = storable.slice(0, limitCodePoints * 2 + 1)
  const clean = [...units.toWellFormed()].slice(0, limitCodePoints).join('')
  // A pair that the first cut split shows as a replacement mark that the creator did not write.
  const cut = units.length < storable.length && clean.endsWith('�') ? clean.slice(0, -1) : clean
  return cut === '' ? null : cut
}
