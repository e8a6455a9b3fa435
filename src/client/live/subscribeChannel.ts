import type { RawChannelMessage } from '#client/feed/carried.ts'
import type { ChannelMessage, ListMessage, StateSubscribed } from '#client/feed/channelMessages.ts'
import { invalidMessage } from '#client/feed/messages.ts'
import * as shapes from '#client/generated/shapes.ts'
import { type AnyShape, choice, listOf, mismatch, nullable, object, type Shape, string, whole } from '#client/rest/shape.ts'
import type { ClientExtension } from '#client/tokenwire.ts'
import { MAX_LIST_ROWS } from '#protocol/limits.ts'
import type { ChannelLink, ChannelSubscriber } from './channelLink.ts'

export interface ChannelListener extends Omit<ChannelSubscriber, 'receive'> {
  receive(message: ChannelMessage): void
}

/** Subscribes to a channel. A message that is not as promised is reported, and one that this version does not know is ignored. */
export function subscribeChannel(
  extension: Pick<ClientExtension, 'subscribe' | 'onError'>,
  { channel, filters, position, receive, end }: ChannelListener,
): ChannelLink {
  return extension.subscribe({
    channel,
    filters,
    position,
    end,
    receive({ fields }: RawChannelMessage) {
      const { type, channel: named } = fields
      const name = type === 'subscribed' ? `subscribed.${String(named)}` : String(type)
      const shape = Object.hasOwn(SHAPES, name) ? SHAPES[name] : undefined
      if (shape === undefined) return
      const message = type === 'list' ? withRows(fields) : fields
      const path = mismatch(shape, message)
      if (path === null) receive(message as unknown as ChannelMessage)
      else extension.onError(invalidMessage(path))
    },
  })
}

const stateSubscribedShape: Shape<StateSubscribed> = object({
  type: choice('subscribed'),
  id: string,
  channel: choice('list', 'candles'),
})

const listShape: Shape<ListMessage> = object({
  type: choice('list'),
  id: string,
  sequence: whole(0),
  asOfBlock: nullable(string),
  data: listOf(shapes.listRowShape, MAX_LIST_ROWS),
})

/** The message with rows as objects in place of arrays. Data that is not a list of arrays is left as it is, and fits no shape. */
function withRows(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { columns, data } = message
  if (!Array.isArray(columns) || !Array.isArray(data) || data.length > MAX_LIST_ROWS) return message
  const rowOf = (cells: unknown) =>
    Array.isArray(cells) ? Object.fromEntries(columns.map((column, index) => [column, cells[index] as unknown])) : cells
  return { ...message, data: data.map(rowOf) }
}

const SHAPES: Readonly<Record<string, AnyShape>> = {
  'subscribed.list': stateSubscribedShape,
  'subscribed.candles': stateSubscribedShape,
  'subscribed.trades': shapes.eventsSubscribedShape,
  'subscribed.launches': shapes.eventsSubscribedShape,
  'subscribed.graduations': shapes.eventsSubscribedShape,
  trades: shapes.tradesMessageShape,
  launches: shapes.launchesMessageShape,
  graduations: shapes.graduationsMessageShape,
  reorg: shapes.reorgMessageShape,
  gap: shapes.gapMessageShape,
  list: listShape,
  candles: shapes.candlesMessageShape,
}
