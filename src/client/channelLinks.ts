import type { Carried } from './carried.ts'
import type { ChannelLink, ChannelSubscriber } from './channelLink.ts'
import { ClientError } from './clientError.ts'
import type { ConnectionPool } from './connectionPool.ts'
import type { ClientContext } from './context.ts'
import { queryText } from './rest.ts'

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
      subscription: () => ({ type: 'subscribe', channel, id: key, filters, ...position() }),
      streamPath() {
        const { after, reorgs } = position() ?? {}
        const lastEventId = after && reorgs !== undefined ? `${after}-${reorgs}` : after
        return `/api/stream${queryText({ channel, ...filters, lastEventId })}`
      },
      receive: message => message.type !== 'token.update' && receive(message),
      end,
    }
    pool.carry(carried)
    return { restart: () => pool.refresh(carried), close: () => pool.drop(carried) }
  }
}
