import { ClientError } from '#client/clientError.ts'
import * as shapes from '#client/generated/shapes.ts'
import type { TokenSubscribed, TokenUpdate } from '#client/generated/types.ts'
import { type AnyShape, isObject, mismatch, object, parseJson, string } from '#client/rest/shape.ts'
import { MAX_MESSAGE_BYTES } from '#protocol/limits.ts'
import * as channels from './channelMessages.ts'

export interface Refusal {
  readonly type: 'error'
  readonly code: string
  readonly message: string
  readonly token?: unknown
  readonly id?: unknown
}

const SHAPES: Readonly<Record<string, AnyShape>> = {
  subscribed: shapes.tokenSubscribedShape,
  'subscribed.list': channels.stateSubscribedShape,
  'subscribed.candles': channels.stateSubscribedShape,
  'subscribed.trades': shapes.eventsSubscribedShape,
  'subscribed.launches': shapes.eventsSubscribedShape,
  'subscribed.graduations': shapes.eventsSubscribedShape,
  'token.update': shapes.tokenUpdateShape,
  trades: shapes.tradesMessageShape,
  launches: shapes.launchesMessageShape,
  graduations: shapes.graduationsMessageShape,
  reorg: shapes.reorgMessageShape,
  gap: shapes.gapMessageShape,
  list: channels.listShape,
  candles: shapes.candlesMessageShape,
  // Accepts any code: a newer server may have more codes, and the client acts on only one.
  error: object({ code: string, message: string }),
}

/** A message of the server. `unknown`: the client needs nothing in it, or it is of a type that a newer server has. */
export type ReadMessage =
  | TokenUpdate
  | channels.ChannelMessage
  | Refusal
  | TokenSubscribed
  | { readonly type: 'unknown' }
  | { readonly type: 'invalid'; readonly error: ClientError }

export function readMessage(data: unknown): ReadMessage {
  const parsed = parseObject(data)
  if (parsed === null || typeof parsed.type !== 'string') return invalid('type')
  const { type, channel } = parsed
  const name = type === 'subscribed' && typeof channel === 'string' ? `subscribed.${channel}` : type
  const shape = Object.hasOwn(SHAPES, name) ? SHAPES[name] : undefined
  if (shape === undefined) return { type: 'unknown' }
  const message = type === 'list' ? channels.withRows(parsed) : parsed
  const known = message as unknown as ReadMessage
  const path = mismatch(shape, message) ?? (known.type === 'token.update' ? contradiction(known) : null)
  return path === null ? known : invalid(path)
}

/** An update whose parts are of two sequences or two tokens would store the state of one under the other. */
function contradiction({ sequence, token, latestTrade }: TokenUpdate): string | null {
  return sequence === token.sequence && (latestTrade ?? { token: token.address }).token === token.address ? null : 'token'
}

function invalid(path: string): ReadMessage {
  return {
    type: 'invalid',
    error: new ClientError('invalid_answer', `the message lacks the promised shape at "${path}"`, { path }),
  }
}

function parseObject(data: unknown): Readonly<Record<string, unknown>> | null {
  // No message of the protocol is larger, so a larger one is not worth parsing.
  if (typeof data !== 'string' || data.length > MAX_MESSAGE_BYTES) return null
  const value = parseJson(data)
  return isObject(value) ? value : null
}
