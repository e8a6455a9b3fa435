import type { Token, TokenSnapshot } from '#domain/token.ts'
import { byteLength, cutText, firstUnits } from './jsonText.ts'
import { MAX_MESSAGE_BYTES, MAX_UPDATE_HOLDERS } from './limits.ts'
import type { TokenUpdate } from './messages.ts'

/** The texts that a token's creator wrote, in the order in which they are shortened. */
const FREE_TEXTS = ['description', 'metadataUri', 'imageUrl', 'name', 'symbol'] as const

type FreeText = (typeof FREE_TEXTS)[number]

export interface EncodedUpdate {
  readonly update: TokenUpdate
  /** The update as JSON in UTF-8: at most 16,384 bytes, no line breaks. */
  readonly bytes: Uint8Array
}

const encoder = new TextEncoder()

/**
 * Encodes a token's state as the `token.update` that WebSocket and SSE carry. What would pass 16,384 bytes loses holders from the end, as
 * few as possible, and when none are left the ends of the creator's texts; numbers are never touched. Broken surrogate pairs, which not
 * every JSON reader accepts, become U+FFFD.
 *
 * Cost: one `JSON.stringify` and one UTF-8 encoding; a copy of the bytes more when holders are dropped, and the same again when texts are shortened.
 *
 * @throws `RangeError` when the rest alone is too large, which no token that the database can hold reaches
 */
export function encodeUpdate(snapshot: TokenSnapshot): EncodedUpdate {
  const update = toUpdate(snapshot)
  const bytes = encoder.encode(JSON.stringify(update))
  if (bytes.length <= MAX_MESSAGE_BYTES) return { update, bytes }
  const bareBytes = bytes.length - byteLength(JSON.stringify(update.holders)) + BRACKETS
  if (bareBytes <= MAX_MESSAGE_BYTES) return withoutLastHolders({ update, bytes })
  return encodeFitting({ ...update, holders: [], token: withShorterTexts(update.token, bareBytes - MAX_MESSAGE_BYTES) })
}

function toUpdate(snapshot: TokenSnapshot): TokenUpdate {
  const { token } = snapshot
  return {
    type: 'token.update',
    sequence: token.sequence,
    token: withPlainTexts(token),
    latestTrade: snapshot.latestTrade,
    holders: snapshot.holders.length <= MAX_UPDATE_HOLDERS ? snapshot.holders : snapshot.holders.slice(0, MAX_UPDATE_HOLDERS),
    reason: 'chain',
    sourceBlock: token.asOfBlock,
    timestamp: token.updatedAt,
  }
}

/**
 * The token with texts that are well formed and not longer than a whole message may be. Cutting a giant text at once changes no result,
 * since it could never be kept in full, and spares encoding a megabyte to find that out.
 */
function withPlainTexts(token: Token): Token {
  let plain = token
  for (const field of FREE_TEXTS) {
    const text = token[field]
    if (text === null || (text.length <= MAX_MESSAGE_BYTES && text.isWellFormed())) continue
    plain = { ...plain, [field]: firstUnits(text, MAX_MESSAGE_BYTES).toWellFormed() }
  }
  return plain
}

/** The update with as many holders as fit, from the largest on, by leaving bytes out of the middle. */
function withoutLastHolders({ update, bytes }: EncodedUpdate): EncodedUpdate {
  const holders = [...update.holders]
  let size = bytes.length
  while (size > MAX_MESSAGE_BYTES) {
    const dropped = holders.pop()
    // The first one has no comma before it.
    size -= byteLength(JSON.stringify(dropped)) + (holders.length === 0 ? 0 : COMMA)
  }
  const { reason, sourceBlock, timestamp } = update
  // What comes behind the holders: `],"reason":…`, which is this with `],` for `{`.
  const tailBytes = byteLength(JSON.stringify({ reason, sourceBlock, timestamp })) + 1
  const shorter = new Uint8Array(size)
  shorter.set(bytes.subarray(0, size - tailBytes))
  shorter.set(bytes.subarray(bytes.length - tailBytes), size - tailBytes)
  return { update: { ...update, holders }, bytes: shorter }
}

/** The token with texts that are shorter by at least so many bytes of JSON, where they have them; a text that is cut to nothing is `null`. */
function withShorterTexts(token: Token, excess: number): Token {
  const texts: Partial<Record<FreeText, string | null>> = {}
  let left = excess
  for (const field of FREE_TEXTS) {
    if (left <= 0) break
    const text = token[field]
    if (text === null || text.length < 2) continue
    const { text: shorter, bytesSaved } = cutText(text, left)
    texts[field] = shorter === '' ? null : shorter
    left -= bytesSaved - (shorter === '' ? NULL_GROWTH : 0)
  }
  return { ...token, ...texts }
}

const COMMA = 1
const BRACKETS = 2

/** `null` is two bytes longer than the quotes of an empty text. */
const NULL_GROWTH = 2

function encodeFitting(update: TokenUpdate): EncodedUpdate {
  const bytes = encoder.encode(JSON.stringify(update))
  if (bytes.length > MAX_MESSAGE_BYTES) throw new RangeError(`an update of ${bytes.length} bytes can't be made to fit`)
  return { update, bytes }
}
