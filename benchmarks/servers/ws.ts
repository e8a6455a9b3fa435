import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Address } from '#domain/address.ts'
import { encodeSubscribed } from '#protocol/parseClientMessage.ts'
import type { FeedServer } from './feedServer.ts'
import { framesOf, Rooms } from './frames.ts'

/** The `ws` package as in its documentation of broadcasts: each update is sent to each of its subscribers. */
export async function startWs(): Promise<FeedServer> {
  const rooms = new Rooms<WebSocket>()
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/realtime', perMessageDeflate: false, backlog: 4_096 })
  await once(server, 'listening')
  server.on('connection', socket => {
    const tokens: Address[] = []
    socket.on('message', (message: Buffer) => {
      const { type, token } = JSON.parse(message.toString()) as { type: string; token: Address }
      if (type !== 'subscribe') return
      tokens.push(token)
      rooms.join(token, socket)
      socket.send(encodeSubscribed(token, null))
    })
    socket.on('close', () => {
      for (const token of tokens) rooms.leave(token, socket)
    })
    socket.on('error', () => socket.terminate())
  })
  return {
    port: (server.address() as AddressInfo).port,
    prepare: snapshots => {
      const frames = framesOf(snapshots)
      return () => {
        for (const [token, bytes] of frames) for (const socket of rooms.of(token)) socket.send(bytes, { binary: false })
      }
    },
    close: async () => {
      for (const socket of server.clients) socket.terminate()
      server.close()
    },
  }
}
