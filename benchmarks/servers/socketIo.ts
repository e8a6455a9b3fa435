import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import type { Address } from '#domain/address.ts'
import type { FeedServer } from './feedServer.ts'
import { framesOf } from './frames.ts'

/** socket.io with a room per token, over WebSocket only, as in its documentation of broadcasts. */
export async function startSocketIo(): Promise<FeedServer> {
  const http = createServer()
  const io = new Server(http, { transports: ['websocket'], perMessageDeflate: false, serveClient: false })
  let subscribed = 0
  io.on('connection', socket => {
    socket.on('subscribe', async (token: Address) => {
      await socket.join(token)
      subscribed++
      socket.emit('subscribed', token)
    })
  })
  http.listen(0, '127.0.0.1', 4_096)
  await once(http, 'listening')
  return {
    port: (http.address() as AddressInfo).port,
    prepare: snapshots => {
      const updates = [...framesOf(snapshots)].map(([token, bytes]) => ({
        token,
        update: JSON.parse(Buffer.from(bytes).toString()) as unknown,
      }))
      return () => {
        for (const { token, update } of updates) io.to(token).emit('token.update', update)
      }
    },
    counters: () => ({ subscribed }),
    close: async () => {
      await io.close()
    },
  }
}
