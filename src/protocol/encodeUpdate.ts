import type { Token, TokenSnapshot } from '#resources/token.ts'
import type { TradesSince } from '#resources/trades.ts'
import type { Wire } from '#resources/values.ts'
import { MAX_MESSAGE_BYTES, MAX_UPDATE_HOLDERS } from './limits.ts'
import type { tokenDeltaSchema, tokenUpdateSchema } from './schemas/messages.ts'

export interface EncodedUpdate {
  readonly update: UpdatedState
  /** The beginning of the update as JSON in UTF-8, up to its trades, which `withTrades` adds: without line breaks. */
  readonly bytes: Uint8Array
}

export const encoder = new TextEncoder()

/**
 * Encodes a token's state as the `token.update` of WebSocket and SSE. An update that is too large loses as few holders as possible from
 * the end; if that is not enough, all holders and the ends of the creator's texts. Numbers are never changed. Lone surrogates become
 * U+FFFD, because not every JSON parser accepts them.
 *
 * @throws `RangeError` when the update is too large without any text, which no token in the database reaches
 */
export function encodeUpdate(snapshot: TokenSnapshot): EncodedUpdate {
  const { update, bytes } = encodeState(toUpdate(snapshot))
  return { update, bytes: bytes.subarray(0, -CLOSING_BRACE) }
}

/** Encodes the whole object, with its closing brace. */
function encodeState(update: UpdatedState): EncodedUpdate {
  const bytes = encoder.encode(JSON.stringify(update))
  if (bytes.length <= MAX_STATE_BYTES) return { update, bytes }
  const bareBytes = bytes.length - byteLength(JSON.stringify(update.holders)) + BRACKETS
  if (bareBytes <= MAX_STATE_BYTES) return withoutLastHolders({ update, bytes })
  return encodeFitting({ ...update, holders: [], token: withShorterTexts(update.token, bareBytes - MAX_STATE_BYTES) })
}

function toUpdate(snapshot: TokenSnapshot): UpdatedState {
  const { token } = snapshot
  return {
    type: 'token.update',
    sequence: token.sequence,
    token: withPlainTexts(token),
    latestTrade: snapshot.recent.trades.at(-1) ?? null,
    holders: snapshot.holders.length <= MAX_UPDATE_HOLDERS ? snapshot.holders : snapshot.holders.slice(0, MAX_UPDATE_HOLDERS),
    reason: 'chain',
    sourceBlock: token.asOfBlock,
    timestamp: token.updatedAt,
  }
}

/** Copies the encoded bytes around the dropped holders instead of encoding again. */
function withoutLastHolders({ update, bytes }: EncodedUpdate): EncodedUpdate {
  const holders = [...update.holders]
  let size = bytes.length
  while (size > MAX_STATE_BYTES) {
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

const CLOSING_BRACE = 1
const COMMA = 1
const BRACKETS = 2

function encodeFitting(update: UpdatedState): EncodedUpdate {
  const bytes = encoder.encode(JSON.stringify(update))
  if (bytes.length > MAX_STATE_BYTES) throw new RangeError(`an update of ${bytes.length} bytes can't be made to fit`)
  return { update, bytes }
}

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
function withPlainTexts<Shown extends Texts>(token: Shown): Shown {
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
function withShorterTexts<Shown extends Texts>(token: Shown, excess: number): Shown {
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
/** `null` is two bytes longer than the `""` of an empty text. */
const NULL_GROWTH = 2

/** The largest state as JSON, in bytes of UTF-8: with `trades` of `null` and a `replacedFrom` it fills a whole message. */
export const MAX_STATE_BYTES = MAX_MESSAGE_BYTES - tradesText({ trades: null, replacedFrom: Number.MAX_SAFE_INTEGER }).length

/** A whole update: a beginning by `encodeUpdate` and its trades, or `null` in their place where they don't fit. At most 16,384 bytes. */
export function withTrades(beginning: Uint8Array, since: TradesSince): Uint8Array {
  const end = encoder.encode(`${tradesText(since)}}`)
  const length = beginning.length + end.length
  if (length > MAX_MESSAGE_BYTES && since.trades !== null) return withTrades(beginning, { ...since, trades: null })
  const update = new Uint8Array(length)
  update.set(beginning)
  update.set(end, beginning.length)
  return update
}

function tradesText({ trades, replacedFrom }: TradesSince): string {
  const replaced = replacedFrom === null ? '' : `,"replacedFrom":"${replacedFrom}"`
  return `,"trades":${JSON.stringify(trades)}${replaced}`
}

/** A token's full state after a commit, as WebSocket and SSE send it. It replaces all earlier ones, so a client may miss some. */
export type TokenUpdate = Wire<typeof tokenUpdateSchema>

/** How a token's state differs from the state that the connection was sent last. */
export type TokenDelta = Wire<typeof tokenDeltaSchema>

/** The fields of an update that hold the token's state. The others depend on what the receiver was sent before. */
export type UpdatedState = Omit<TokenUpdate, 'trades' | 'replacedFrom'>

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

/** Bytes of UTF-8. */
export function byteLength(text: string): number {
  return encoder.encode(text).length
}
