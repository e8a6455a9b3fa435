import type { Token } from '#resources/token.ts'
import { byteLength, cutText } from './cutText.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'

/** The creator's texts, in the order in which they are shortened. */
const FREE_TEXTS = ['description', 'metadataUri', 'imageUrl', 'name', 'symbol'] as const

type FreeText = (typeof FREE_TEXTS)[number]
type Texts = Partial<Pick<Token, FreeText | 'links'>>

/**
 * A token, or its summary, as JSON within a number of bytes of UTF-8: its last links and the ends of the creator's texts are cut to make
 * it fit.
 *
 * @throws `RangeError` when it is too large without any text, which no token in the database is
 */
export function encodeFittingToken(token: Texts, maxBytes: number): string {
  const plain = withPlainTexts(token)
  const text = JSON.stringify(plain)
  const excess = byteLength(text) - maxBytes
  if (excess <= 0) return text
  const shorter = JSON.stringify(withShorterTexts(plain, excess))
  if (byteLength(shorter) > maxBytes) throw new RangeError(`a token of ${byteLength(shorter)} bytes can't be made to fit`)
  return shorter
}

/**
 * The token with well-formed texts, each at most as long as a whole message. A longer text is shortened later in any case (the half of a
 * surrogate pair that this may leave goes then); cutting it here avoids encoding a megabyte first.
 */
export function withPlainTexts<Shown extends Texts>(token: Shown): Shown {
  let plain = token
  for (const field of FREE_TEXTS) {
    const text = token[field]
    if (text === null || text === undefined || (text.length <= MAX_MESSAGE_BYTES && text.isWellFormed())) continue
    plain = { ...plain, [field]: text.slice(0, MAX_MESSAGE_BYTES).toWellFormed() }
  }
  return plain
}

/**
 * The token without its last links and with its texts shortened, by at least `excess` bytes of JSON, if they have as many. A text cut to
 * nothing becomes `null`.
 */
export function withShorterTexts<Shown extends Texts>(token: Shown, excess: number): Shown {
  const texts: Partial<Record<FreeText, string | null>> = {}
  const links = [...(token.links ?? [])]
  let left = excess
  while (left > 0 && links.length > 0) {
    const text = JSON.stringify(links.pop())
    left -= byteLength(text) + (links.length === 0 ? 0 : COMMA)
  }
  for (const field of FREE_TEXTS) {
    if (left <= 0) break
    const text = token[field]
    if (text === null || text === undefined || text.length < 2) continue
    const { text: shorter, bytesSaved } = cutText(text, left)
    texts[field] = shorter === '' ? null : shorter
    left -= bytesSaved - (shorter === '' ? NULL_GROWTH : 0)
  }
  return { ...token, ...(token.links && { links }), ...texts }
}

const COMMA = 1
/** `null` is two bytes longer than the `""` of an empty text. */
const NULL_GROWTH = 2
