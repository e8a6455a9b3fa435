import { addressShape, integerShape, tokenShape, tradeShape } from '#client/resourceShapes.ts'
import { type AnyShape, listOf, mismatch, object, parseJson, string } from '#client/shape.ts'
import type { Address } from '#domain/address.ts'
import type { Token } from '#domain/token.ts'
import type { Trade } from '#domain/trade.ts'

/** What a subscription to a channel receives. */
export type FeedMessage =
  | { readonly type: 'subscribed' | 'error' | 'gap' }
  | { readonly type: 'trades'; readonly data: readonly Trade[] }
  | { readonly type: 'launches' | 'graduations'; readonly block: string; readonly data: readonly Token[] }
  /** The addresses of a list in its order. */
  | { readonly type: 'list'; readonly data: readonly Address[] }
  /** Events of this block and later ones are void. */
  | { readonly type: 'reorg'; readonly fromBlock: string }

const tokenEvents = object({ block: integerShape, data: listOf(tokenShape) })

const SHAPES: Readonly<Record<FeedMessage['type'], AnyShape>> = {
  subscribed: object({ channel: string }),
  error: object({ code: string }),
  gap: object({}),
  trades: object({ data: listOf(tradeShape) }),
  launches: tokenEvents,
  graduations: tokenEvents,
  list: object({ data: listOf(addressShape) }),
  reorg: object({ fromBlock: integerShape }),
}

/** How the updates of tokens begin, which are most messages: they are for the client, and not read here. */
const TOKEN_UPDATE = '{"type":"token.update"'

/** A message that concerns a subscription; `message` is `null` when it says nothing more, or is not as promised. */
export interface ReceivedMessage {
  readonly id: string
  readonly message: FeedMessage | null
}

/** `null`: the message concerns no subscription to a channel. */
export function readFeedMessage(text: unknown): ReceivedMessage | null {
  if (typeof text !== 'string' || text.startsWith(TOKEN_UPDATE)) return null
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || !('id' in value) || typeof value.id !== 'string') return null
  const { id, type } = value as { readonly id: string; readonly type: FeedMessage['type'] }
  const message = type === 'list' ? { type, data: addressesOf(value as ListFields) } : value
  const isAsPromised = Object.hasOwn(SHAPES, type) && mismatch(SHAPES[type], message) === null
  return { id, message: isAsPromised ? (message as FeedMessage) : null }
}

interface ListFields {
  readonly columns?: unknown
  readonly data?: unknown
}

/** The rows of a list are arrays, whose cells `columns` names. */
function addressesOf({ columns, data }: ListFields): unknown {
  if (!Array.isArray(columns) || !Array.isArray(data)) return null
  const place = columns.indexOf('address')
  return data.map(row => (Array.isArray(row) ? row[place] : null))
}
