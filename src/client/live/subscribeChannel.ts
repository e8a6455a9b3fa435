import type { ChannelLink, ChannelSubscriber, RawChannelMessage } from '#client/feed/carried.ts'
import { invalidMessage } from '#client/feed/messages.ts'
import * as shapes from '#client/generated/shapes.ts'
import { type AnyShape, choice, listOf, mismatch, nullable, object, optional, type Shape, string, whole } from '#client/rest/shape.ts'
import type { ClientExtension } from '#client/tokenwire.ts'
import { MAX_LONG_LIST_ROWS } from '#protocol/limits.ts'
import type { ChannelMessage, ListMessage, StateSubscribed } from './liveTypes.ts'

export interface ChannelListener extends Omit<ChannelSubscriber, 'receive'> {
  receive(message: ChannelMessage): void
}

/** Subscribes to a channel. A message that is not as promised is reported, and one that this version does not know is ignored. */
export function subscribeChannel(
  extension: Pick<ClientExtension, 'subscribe' | 'onError'>,
  { channel, filters, position, receive, end }: ChannelListener,
): ChannelLink {
  const list = createListReader()
  const link = () => extension.subscribe(subscriber)
  const subscriber: ChannelSubscriber = {
    channel,
    filters,
    position,
    end,
    receive({ fields }: RawChannelMessage) {
      const { type, channel: named } = fields
      const name = type === 'subscribed' ? `subscribed.${String(named)}` : String(type)
      const shape = Object.hasOwn(SHAPES, name) ? SHAPES[name as MessageName] : undefined
      if (shape === undefined) return
      const message = shape === listShape ? list(fields) : fields
      const path = message === null ? 'base' : mismatch(shape, message)
      if (path === null) receive(message as unknown as ChannelMessage)
      else extension.onError(invalidMessage(path))
      // The service sends the whole list to a new subscription.
      if (message === null) {
        current.close()
        current = link()
      }
    },
  }
  let current = link()
  return { isLive: () => current.isLive(), close: () => current.close() }
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
  data: listOf(shapes.listRowShape, MAX_LONG_LIST_ROWS),
  matches: optional(nullable(whole(0))),
})

/**
 * Reads the messages of a list: with rows as objects in place of arrays, and a change as the list that it leads to; `null`: a change of
 * another list. Data that is not a list of arrays is left as it is, and fits no shape.
 */
function createListReader(): (message: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> | null {
  let sequence: unknown
  let rows: readonly unknown[] = []
  let columns: readonly string[] = []
  return message => {
    const { data, base } = message
    if (!Array.isArray(data) || data.length > MAX_LONG_LIST_ROWS) return message
    if (base !== undefined && base !== sequence) return null
    if (Array.isArray(message['columns'])) columns = message['columns']
    const before = rows
    const rowOf = (cells: unknown) =>
      Array.isArray(cells) ? Object.fromEntries(columns.map((column, index) => [column, cells[index] as unknown])) : cells
    rows = data.map(entry => (base !== undefined && typeof entry === 'number' ? before[entry] : rowOf(entry)))
    sequence = message['sequence']
    return { ...message, type: 'list', data: rows }
  }
}

/** The names of all messages. Those that confirm a subscription are named by their channel, too. */
type MessageName = Exclude<ChannelMessage['type'], 'subscribed'> | 'list.delta' | `subscribed.${ChannelSubscriber['channel']}`

const SHAPES: Readonly<Record<MessageName, AnyShape>> = {
  'subscribed.list': stateSubscribedShape,
  'subscribed.candles': stateSubscribedShape,
  'subscribed.trades': shapes.eventsSubscribedShape,
  'subscribed.launches': shapes.eventsSubscribedShape,
  'subscribed.graduations': shapes.eventsSubscribedShape,
  'subscribed.crossings': shapes.eventsSubscribedShape,
  trades: shapes.tradesMessageShape,
  launches: shapes.launchesMessageShape,
  graduations: shapes.graduationsMessageShape,
  crossings: shapes.crossingsMessageShape,
  reorg: shapes.reorgMessageShape,
  gap: shapes.gapMessageShape,
  list: listShape,
  'list.delta': listShape,
  candles: shapes.candlesMessageShape,
}
