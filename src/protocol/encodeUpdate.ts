import type { TokenSnapshot } from '#resources/tokenSnapshot.ts'
import { byteLength } from './cutText.ts'
import { withPlainTexts, withShorterTexts } from './fittingToken.ts'
import { MAX_UPDATE_HOLDERS } from './limits.ts'
import type { UpdatedState } from './tokenUpdate.ts'
import { MAX_STATE_BYTES } from './withTrades.ts'

export interface EncodedUpdate {
  readonly update: UpdatedState
  /** The beginning of the update as JSON in UTF-8, up to its trades, which `withTrades` adds: without line breaks. */
  readonly bytes: Uint8Array
}

const encoder = new TextEncoder()

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
