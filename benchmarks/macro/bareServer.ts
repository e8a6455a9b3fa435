import type { Address } from '#domain/address.ts'
import { snapshotWithUsd } from '#domain/usd.ts'
import { App, type TemplatedApp, us_socket_local_port, type WebSocket } from '#gateway/uWebSockets.ts'
import { encodeSubscribed } from '#protocol/encodeAnswer.ts'
import { encodeUpdate } from '#protocol/encodeUpdate.ts'
import { ETH_USD } from './feed.ts'
import type { FeedServer } from './feedServer.ts'
import type { ServerKind } from './serverCalls.ts'

/** Large enough that nothing is dropped, for all that a block has. */
const MAX_BACKPRESSURE_BYTES = 64 << 20
const DROPPED = 2

type Socket = WebSocket<{ readonly tokens: Address[] }>

/**
 * uWebSockets.js alone: updates are encoded before the clock starts, nothing is limited, kept, counted or conflated. What a server on it
 * can't go below: `sendLoop` sends each update to each of its subscribers, `corkedLoop` gives each connection all of its updates in one cork.
 */
export function startBareServer(kind: Exclude<ServerKind, 'tokenwire'>): Promise<FeedServer> {
  const sockets = new Set<Socket>()
  const subscribers = new Map<Address, Set<Socket>>()
  const app = App().ws<{ tokens: Address[] }>('/realtime', {
    maxBackpressure: MAX_BACKPRESSURE_BYTES,
    upgrade: (res, req, context) =>
      res.upgrade({ tokens: [] }, req.getHeader('sec-websocket-key'), '', req.getHeader('sec-websocket-extensions'), context),
    open: socket => void sockets.add(socket),
    message: (socket, message) => {
      const { token } = JSON.parse(Buffer.from(message).toString()) as { token: Address }
      socket.getUserData().tokens.push(token)
      const ofToken = subscribers.get(token) ?? new Set()
      subscribers.set(token, ofToken.add(socket))
      socket.send(encodeSubscribed(token, null), false)
    },
    close: socket => {
      sockets.delete(socket)
      for (const token of socket.getUserData().tokens) subscribers.get(token)?.delete(socket)
    },
  })

  const send = (socket: Socket, bytes: Uint8Array) => {
    if (socket.send(bytes, false) === DROPPED) throw new Error('the bare server dropped an update')
  }
  const sendLoop = (frames: ReadonlyMap<Address, Uint8Array>) => {
    for (const [token, bytes] of frames) for (const socket of subscribers.get(token) ?? []) send(socket, bytes)
  }
  const corkedLoop = (frames: ReadonlyMap<Address, Uint8Array>) => {
    for (const socket of sockets) {
      socket.cork(() => {
        for (const token of socket.getUserData().tokens) {
          const bytes = frames.get(token)
          if (bytes !== undefined) send(socket, bytes)
        }
      })
    }
  }
  const deliver = kind === 'sendLoop' ? sendLoop : corkedLoop

  return listen(app).then(port => ({
    port,
    prepare: snapshots => {
      const frames = new Map(
        snapshots.map((snapshot): [Address, Uint8Array] => [
          snapshot.token.address,
          encodeUpdate(snapshotWithUsd(snapshot, ETH_USD)).bytes,
        ]),
      )
      return () => deliver(frames)
    },
  }))
}

function listen(app: TemplatedApp): Promise<number> {
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, listening => {
      if (listening === false) reject(new Error('no port to listen on'))
      else resolve(us_socket_local_port(listening))
    })
  })
}
