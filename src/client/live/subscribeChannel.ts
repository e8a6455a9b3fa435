import type { ClientError } from '#client/clientError.ts'
import type { Carried } from '#client/feed/carried.ts'
import { invalidMessage } from '#client/feed/messages.ts'
import * as shapes from '#client/generated/shapes.ts'
import { queryText } from '#client/rest/queryText.ts'
import { type AnyShape, mismatch } from '#client/rest/shape.ts'
import type { ClientExtension } from '#client/tokenwire.ts'
import { MAX_LONG_LIST_ROWS } from '#protocol/limits.ts'

/** One subscription to a channel. Its functions must not throw. */
export interface ChannelSubscriber<Message> {
  readonly channel: 'trades' | 'launches' | 'graduations' | 'crossings' | 'list' | 'candles'
  readonly filters: object
  /** Where the client is, read with each subscription; `null`: nowhere yet. `delta`: changes of a list may come as such. */
  position(): { readonly after?: string; readonly reorgs?: number; readonly delta?: true } | null
  receive(message: Message): void
  /** Nothing follows. `null`: the client was closed. */
  end(error: ClientError | null): void
}

export interface ChannelLink {
  /** Whether a WebSocket or an event stream carries it now. */
  isLive(): boolean
  close(): void
}

/** The messages by type. Those that confirm the subscription to a state need no reading. */
const SHAPES: Readonly<Record<string, AnyShape>> = {
  subscribed: shapes.eventsSubscribedShape,
  trades: shapes.tradesEventShape,
  launches: shapes.launchesEventShape,
  graduations: shapes.graduationsEventShape,
  crossings: shapes.crossingsEventShape,
  reorg: shapes.reorgEventShape,
  gap: shapes.gapMessageShape,
  list: shapes.listStateShape,
  candles: shapes.candlesMessageShape,
}

/**
 * Subscribes to a channel. A message that is not as promised is reported, and one that this version does not know is ignored.
 *
 * @param subscriber - `Message` are the messages of its channel, among those of `SHAPES`
 */
export function subscribeChannel<Message extends object>(
  { pool, nextKey, onError }: Pick<ClientExtension, 'pool' | 'nextKey' | 'onError'>,
  { channel, filters, position, receive, end }: ChannelSubscriber<Message>,
): ChannelLink {
  const isState = channel === 'list' || channel === 'candles'
  const readList = createListReader()
  const key = nextKey()
  const carried: Carried = {
    key,
    isChannel: true,
    batch: null,
    subscription: () => ({ type: 'subscribe', channel, id: key, filters, ...position() }),
    streamPath() {
      const { after, reorgs } = position() ?? {}
      const lastEventId = after && reorgs !== undefined ? `${after}-${reorgs}` : after
      return `/api/stream${queryText({ channel, ...filters, lastEventId })}`
    },
    receive(raw) {
      if (raw.type !== 'channel') return
      const { id: _, ...fields } = raw.fields
      const message = fields['type'] === 'list' || fields['type'] === 'list.delta' ? readList(fields) : fields
      const type = String(message?.['type'])
      if (message !== null && (!Object.hasOwn(SHAPES, type) || (isState && type === 'subscribed'))) return
      const path = message === null ? 'base' : mismatch(SHAPES[type] as AnyShape, message)
      if (path === null) return receive(message as Message)
      onError(invalidMessage(path))
      // The service sends the whole list to a new subscription.
      if (message !== null) return
      pool.drop(carried)
      pool.carry(carried)
    },
    end,
  }
  pool.carry(carried)
  return { isLive: () => pool.isLive(carried), close: () => pool.drop(carried) }
}

/**
 * Reads the messages of a list: with rows as objects in place of arrays, and a change as the list that it leads to; `null`: a change of
 * another list. Data that is not a list of arrays is left as it is, and fits no shape.
 */
function createListReader(): (message: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> | null {
  let sequence: unknown
  let rows: readonly unknown[] = []
  let columns: readonly string[] = []
  return ({ base, columns: named, ...message }) => {
    const { data } = message
    if (!Array.isArray(data) || data.length > MAX_LONG_LIST_ROWS) return { ...message, type: 'list' }
    if (base !== undefined && base !== sequence) return null
    if (Array.isArray(named)) columns = named
    const before = rows
    const rowOf = (cells: unknown) =>
      Array.isArray(cells) ? Object.fromEntries(columns.map((column, index) => [column, cells[index] as unknown])) : cells
    rows = data.map(entry => (base !== undefined && typeof entry === 'number' ? before[entry] : rowOf(entry)))
    sequence = message['sequence']
    return { ...message, type: 'list', data: rows }
  }
}
