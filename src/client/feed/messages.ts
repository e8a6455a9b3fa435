import { ClientError } from '#client/clientError.ts'
import * as shapes from '#client/generated/shapes.ts'
import type { TokenSubscribed, TokenUpdate } from '#client/generated/types.ts'
import { type AnyShape, mismatch, object, parseJson, string } from '#client/rest/shape.ts'
import { applyDelta, type Delta, isFields } from '#protocol/applyDelta.ts'
import { MAX_MESSAGE_BYTES } from '#protocol/limits.ts'
import type { RawChannelMessage } from './carried.ts'

export interface Refusal {
  readonly type: 'error'
  readonly code: string
  readonly message: string
  readonly token?: unknown
  readonly id?: unknown
}

const SHAPES: Readonly<Record<string, AnyShape>> = {
  subscribed: shapes.tokenSubscribedShape,
  'token.update': shapes.tokenUpdateShape,
  // Accepts any code: a newer server may have more codes, and the client acts on only one.
  error: object({ code: string, message: string }),
}

/** A message of the server. `unknown`: the client needs nothing in it, or it is of a type that a newer server has. */
export type ReadMessage =
  | TokenUpdate
  | RawChannelMessage
  | Refusal
  | TokenSubscribed
  | { readonly type: 'unknown' }
  /** A change of a state that this connection did not bring. */
  | { readonly type: 'missed'; readonly key: string }
  | { readonly type: 'invalid'; readonly error: ClientError }

/** Reads the messages of one connection. Deltas become the updates that they stand for, and are checked as such. */
export function createMessageReader(): (data: unknown) => ReadMessage {
  /** The newest update of each token. */
  const newest = new Map<unknown, TokenUpdate>()
  return data => {
    const parsed = parseObject(data)
    const key = parsed?.token
    const isDelta = parsed?.type === 'token.delta'
    const message = readMessage(isDelta ? applied(newest.get(key), parsed as unknown as Delta) : parsed)
    if (message.type === 'token.update') newest.set(message.token.address, message)
    else if (isDelta) return { type: 'missed', key: key as string }
    return message
  }
}

/** The update that a delta stands for; `null`: it does not fit to the state before. */
function applied(before: TokenUpdate | undefined, delta: Delta): Fields | null {
  try {
    return before?.sequence === delta.base ? { ...delta, ...applyDelta(before, delta), type: 'token.update' } : null
  } catch {
    return null
  }
}

type Fields = Readonly<Record<string, unknown>>

function readMessage(parsed: Fields | null): ReadMessage {
  if (typeof parsed?.type !== 'string') return { type: 'invalid', error: invalidMessage('type') }
  const { type, id } = parsed
  // The client gives an id to its subscriptions to channels alone, whose messages `live` reads.
  if (typeof id === 'string' && type !== 'error') return { type: 'channel', key: id, fields: parsed }
  const shape = Object.hasOwn(SHAPES, type) ? SHAPES[type] : undefined
  if (shape === undefined) return { type: 'unknown' }
  const known = parsed as unknown as ReadMessage
  const path = mismatch(shape, parsed) ?? (known.type === 'token.update' ? contradiction(known) : null)
  return path === null ? known : { type: 'invalid', error: invalidMessage(path) }
}

/** An update whose parts are of two sequences or two tokens would store the state of one under the other. */
function contradiction({ sequence, token, latestTrade }: TokenUpdate): string | null {
  return sequence === token.sequence && (latestTrade ?? { token: token.address }).token === token.address ? null : 'token'
}

/** @param path of the first field that is not as promised */
export function invalidMessage(path: string): ClientError {
  return new ClientError('invalid_answer', `the answer has another shape at "${path}"`, { path })
}

function parseObject(data: unknown): Readonly<Record<string, unknown>> | null {
  // No message of the protocol is larger, so a larger one is not worth parsing.
  if (typeof data !== 'string' || data.length > MAX_MESSAGE_BYTES) return null
  const value = parseJson(data)
  return isFields(value) ? value : null
}
