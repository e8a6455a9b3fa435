import type { Token, TokenSnapshot } from '#domain/token.ts'
import { byteLength, cutText } from './cutText.ts'
import { MAX_MESSAGE_BYTES, MAX_UPDATE_HOLDERS } from './limits.ts'
import type { TokenUpdate } from './tokenUpdate.ts'

/** The creator's texts, in the order in which they are shortened. */
const FREE_TEXTS = ['description', 'metadataUri', 'imageUrl', 'name', 'symbol'] as const

type FreeText = (typeof FREE_TEXTS)[number]

export interface EncodedUpdate {
  readonly update: TokenUpdate
  /** The update as JSON in UTF-8: at most 16,384 bytes, without line breaks. */
  readonly bytes: Uint8Array
}

const encoder = new TextEncoder()

/**
 * Encodes a token's state as the `token.update` of WebSocket and SSE. An update above 16,384 bytes loses as few holders as possible from
 * the end; if that is not enough, all holders and the ends of the creator's texts. Numbers are never changed. Lone surrogates become
 * U+FFFD, because not every JSON parser accepts them.
 *
 * @throws `RangeError` when the update is too large without any text, which no token in the database reaches
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
 * The token with well-formed texts, each at most as long as a whole message. A longer text is shortened later in any case (the half of a
 * surrogate pair that this may leave goes then); cutting it here avoids encoding a megabyte first.
 */
function withPlainTexts(token: Token): Token {
  let plain = token
  for (const field of FREE_TEXTS) {
    const text = token[field]
    if (text === null || (text.length <= MAX_MESSAGE_BYTES && text.isWellFormed())) continue
    plain = { ...plain, [field]: text.slice(0, MAX_MESSAGE_BYTES).toWellFormed() }
  }
  return plain
}

/** Copies the encoded bytes around the dropped holders instead of encoding again. */
function withoutLastHolders({ update, bytes }: EncodedUpdate): EncodedUpdate {
  const holders = [...update.holders]
  let size = bytes.length
  while (size > MAX_MESSAGE_BYTES) {
    const dropped = holders.pop()
    // The first holder has no comma before it.
    size -= byteLength(JSON.stringify(dropped)) + (holders.length === 0 ? 0 : COMMA)
  }
  const { reason, sourceBlock, timestamp } = update
  // The bytes after the holders are `],"reason":…}`: this object's JSON, with `],` in place of `{`.
  const tailBytes = byteLength(JSON.stringify({ reason, sourceBlock, timestamp })) + 1
  const shorter = new Uint8Array(size)
  shorter.set(bytes.subarray(0, size - tailBytes))
  shorter.set(bytes.subarray(bytes.length - tailBytes), size - tailBytes)
  return { update: { ...update, holders }, bytes: shorter }
}

/** The token with its texts shortened by at least `excess` bytes of JSON, if they have as many. A text cut to nothing becomes `null`. */
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

/** `null` is two bytes longer than the `""` of an empty text. */
const NULL_GROWTH = 2

function encodeFitting(update: TokenUpdate): EncodedUpdate {
  const bytes = encoder.encode(JSON.stringify(update))
  if (bytes.length > MAX_MESSAGE_BYTES) throw new RangeError(`an update of ${bytes.length} bytes can't be made to fit`)
  return { update, bytes }
}
