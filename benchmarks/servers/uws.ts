import type { Address } from '#domain/address.ts'
import { App, us_listen_socket_close, us_socket_local_port, type WebSocket } from '#gateway/uWebSockets.ts'
import { encodeSubscribed } from '#protocol/parseClientMessage.ts'
import type { FeedServer } from './feedServer.ts'
import { type framesOf, Rooms } from './frames.ts'

/** Large enough for every scenario, so that nothing is dropped. */
const MAX_BACKPRESSURE_BYTES = 64 << 20
const DROPPED = 2

interface Data {
  readonly tokens: Address[]
}

/**
 * uWebSockets.js without limits, counters or conflation, which sends each update to each of its subscribers.
 *
 * @param encode the messages of a block
 */
export async function startUws(encode: typeof framesOf): Promise<FeedServer> {
  const rooms = new Rooms<WebSocket<Data>>()
  const app = App().ws<Data>('/realtime', {
    maxBackpressure: MAX_BACKPRESSURE_BYTES,
    upgrade: (res, req, context) =>
      res.upgrade({ tokens: [] }, req.getHeader('sec-websocket-key'), '', req.getHeader('sec-websocket-extensions'), context),
    message: (socket, message) => {
      const { type, token } = JSON.parse(Buffer.from(message).toString()) as { type: string; token: Address }
      if (type !== 'subscribe') return
      socket.getUserData().tokens.push(token)
      rooms.join(token, socket)
      socket.send(encodeSubscribed(token, null), false)
    },
    close: socket => {
      for (const token of socket.getUserData().tokens) rooms.leave(token, socket)
    },
  })
  const listening = await new Promise<Parameters<typeof us_listen_socket_close>[0]>((resolve, reject) => {
    app.listen('127.0.0.1', 0, socket => (socket === false ? reject(new Error('no port to listen on')) : resolve(socket)))
  })
  return {
    port: us_socket_local_port(listening),
    prepare: snapshots => {
      const frames = encode(snapshots)
      return () => {
        for (const [token, bytes] of frames) {
          for (const socket of rooms.of(token)) {
            if (socket.send(bytes, false) === DROPPED) throw new Error('the bare server dropped an update')
          }
        }
      }
    },
    close: async () => {
      us_listen_socket_close(listening)
      app.close()
    },
  }
}
