import type { Token, TokenSnapshot } from '#domain/token.ts'
import { byteLength, cutText, jsonBytes } from './jsonText.ts'
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
 * Cost when it fits: one `JSON.stringify` and one UTF-8 encoding.
 *
 * @throws `RangeError` when the rest alone is too large, which no token that the database can hold reaches
 */
export function encodeUpdate(snapshot: TokenSnapshot): EncodedUpdate {
  const update = toUpdate(snapshot)
  const bytes = encoder.encode(JSON.stringify(update))
  return bytes.length <= MAX_MESSAGE_BYTES ? { update, bytes } : encodeReduced(update)
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
    plain = { ...plain, [field]: cutText(text.toWellFormed(), MAX_MESSAGE_BYTES) }
  }
  return plain
}

function encodeReduced(update: TokenUpdate): EncodedUpdate {
  const bare = { ...update, holders: [] }
  const bareBytes = byteLength(JSON.stringify(bare))
  if (bareBytes <= MAX_MESSAGE_BYTES) return encodeFitting({ ...update, holders: firstHolders(update, MAX_MESSAGE_BYTES - bareBytes) })
  return encodeFitting({ ...bare, token: withShorterTexts(update.token, bareBytes - MAX_MESSAGE_BYTES) })
}

/** As many holders as fit into that many bytes, from the largest on. */
function firstHolders(update: TokenUpdate, room: number): TokenUpdate['holders'] {
  let left = room
  const kept = update.holders.findIndex((holder, index) => {
    left -= byteLength(JSON.stringify(holder)) + (index === 0 ? 0 : 1)
    return left < 0
  })
  return kept === -1 ? update.holders : update.holders.slice(0, kept)
}

/** The token with texts that are shorter by at least so many bytes of JSON, where they have them; a text that is cut to nothing is `null`. */
function withShorterTexts(token: Token, excess: number): Token {
  const texts: Partial<Record<FreeText, string | null>> = {}
  let left = excess
  for (const field of FREE_TEXTS) {
    if (left <= 0) break
    const text = token[field]
    if (text === null || text.length < 2) continue
    const before = jsonBytes(text)
    const shorter = cutText(text, before - left)
    texts[field] = shorter === '' ? null : shorter
    left -= before - (shorter === '' ? NULL_GROWTH : jsonBytes(shorter))
  }
  return { ...token, ...texts }
}

/** `null` is two bytes longer than the quotes of an empty text. */
const NULL_GROWTH = 2

function encodeFitting(update: TokenUpdate): EncodedUpdate {
  const bytes = encoder.encode(JSON.stringify(update))
  if (bytes.length > MAX_MESSAGE_BYTES) throw new RangeError(`an update of ${bytes.length} bytes can't be made to fit`)
  return { update, bytes }
}
