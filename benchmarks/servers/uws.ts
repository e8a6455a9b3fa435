import type { Address } from '#domain/address.ts'
import {
  App,
  DISABLED,
  SHARED_COMPRESSOR,
  SSLApp,
  type TemplatedApp,
  us_listen_socket_close,
  us_socket_local_port,
  type WebSocket,
} from '#gateway/uWebSockets.ts'
import { encodeSubscribed } from '#protocol/encodeAnswer.ts'
import { certificateFiles } from './certificateFiles.ts'
import type { FeedServer } from './feedServer.ts'
import { framesOf, Rooms } from './frames.ts'

/** Large enough for every scenario, so that nothing is dropped. */
const MAX_BACKPRESSURE_BYTES = 64 << 20
const DROPPED = 2

interface Data {
  readonly tokens: Address[]
}

type Socket = WebSocket<Data>

/**
 * uWebSockets.js without limits, counters or conflation: the lower bound of a server that uses it. `uws-send` sends each update to each
 * of its subscribers, `uws-publish` uses the library's topics, `uws-cork` sends each connection all of its updates in one cork.
 */
export async function startUws(
  kind: 'uws-send' | 'uws-publish' | 'uws-cork',
  { compress, tls }: { readonly compress: boolean; readonly tls: boolean },
): Promise<FeedServer> {
  const files = tls ? await certificateFiles() : null
  const bare = files === null ? App() : SSLApp({ cert_file_name: files.certFile, key_file_name: files.keyFile })
  const sockets = new Set<Socket>()
  const rooms = new Rooms<Socket>()
  const app = bare.ws<Data>('/realtime', {
    maxBackpressure: MAX_BACKPRESSURE_BYTES,
    compression: compress ? SHARED_COMPRESSOR : DISABLED,
    upgrade: (res, req, context) =>
      res.upgrade({ tokens: [] }, req.getHeader('sec-websocket-key'), '', req.getHeader('sec-websocket-extensions'), context),
    open: socket => void sockets.add(socket),
    message: (socket, message) => {
      const { type, token } = JSON.parse(Buffer.from(message).toString()) as { type: string; token: Address }
      if (type !== 'subscribe') return
      socket.getUserData().tokens.push(token)
      if (kind === 'uws-publish') socket.subscribe(token)
      else rooms.join(token, socket)
      socket.send(encodeSubscribed(token, null), false)
    },
    close: socket => {
      sockets.delete(socket)
      for (const token of socket.getUserData().tokens) rooms.leave(token, socket)
    },
  })

  app.get('/healthz', res => {
    res.end('ok')
  })

  const send = (socket: Socket, bytes: Uint8Array) => {
    if (socket.send(bytes, false, compress) === DROPPED) throw new Error('the bare server dropped an update')
  }
  const deliver = {
    'uws-send': (frames: ReadonlyMap<Address, Uint8Array>) => {
      for (const [token, bytes] of frames) for (const socket of rooms.of(token)) send(socket, bytes)
    },
    'uws-publish': (frames: ReadonlyMap<Address, Uint8Array>) => {
      for (const [token, bytes] of frames) app.publish(token, bytes, false, compress)
    },
    'uws-cork': (frames: ReadonlyMap<Address, Uint8Array>) => {
      for (const socket of sockets) {
        socket.cork(() => {
          for (const token of socket.getUserData().tokens) {
            const bytes = frames.get(token)
            if (bytes !== undefined) send(socket, bytes)
          }
        })
      }
    },
  }[kind]

  const { port, close } = await listen(app)
  return {
    port,
    prepare: snapshots => {
      const frames = framesOf(snapshots)
      return () => deliver(frames)
    },
    close,
  }
}

function listen(app: TemplatedApp): Promise<{ readonly port: number; close(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, listening => {
      if (listening === false) return reject(new Error('no port to listen on'))
      const close = async () => {
        us_listen_socket_close(listening)
        app.close()
      }
      return resolve({ port: us_socket_local_port(listening), close })
    })
  })
}
