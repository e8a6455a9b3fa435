import { ClientError } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import type { Carried, ChannelLink, ChannelSubscriber } from '#client/feed/carried.ts'
import type { ConnectionPool } from '#client/feed/connectionPool.ts'
import { queryText } from '#client/rest/rest.ts'

/** Opens subscriptions to channels over the connections of a client. */
export function createChannelLinks(
  { closed }: Pick<ClientContext, 'closed'>,
  pool: ConnectionPool,
): (subscriber: ChannelSubscriber) => ChannelLink {
  let count = 0
  return ({ channel, filters, position, receive, end }) => {
    if (closed.aborted) throw new ClientError('closed', 'the client is closed')
    const key = `c${++count}`
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
      receive: message => message.type === 'channel' && receive(message),
      end,
    }
    pool.carry(carried)
    return { isLive: () => pool.isLive(carried), close: () => pool.drop(carried) }
  }
}
