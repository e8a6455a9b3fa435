import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { closeAfterFile } from '#test/support/closeAfterFile.ts'
import { listen } from '#test/support/listen.ts'

/** A proxy before the service for the rest of the test file, whose address stays the same when the service is restarted. */
export type FrontProxy = Awaited<ReturnType<typeof startFrontProxy>>

export async function startFrontProxy(target: string) {
  const sockets = new Set<Duplex>()
  let allowWebSocket = true
  const proxy = {
    url: '',
    /** The service that gets the requests. */
    target,
    /** A path prefix that requests need and that the service does not see. */
    strip: '',
    /** False: rejects event streams that are opened. */
    allowEventStreams: true,
    /** False: rejects WebSockets, like a proxy without support for them, and cuts the open ones. */
    get allowWebSocket() {
      return allowWebSocket
    },
    set allowWebSocket(value) {
      allowWebSocket = value
      if (!value) for (const socket of sockets) socket.destroy()
    },
    /** Number of open WebSockets. */
    get webSockets() {
      return sockets.size
    },
  }

  /** The path at the service; `null` without the prefix. */
  const inner = (url: string) => (url.startsWith(`${proxy.strip}/`) ? url.slice(proxy.strip.length) : null)

  const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const path = inner(incoming.url ?? '/')
    if (path === null) {
      outgoing.writeHead(404).end()
      return
    }
    if (!proxy.allowEventStreams && incoming.headers.accept === 'text/event-stream') {
      outgoing.writeHead(502).end()
      return
    }
    const { hostname, port } = new URL(proxy.target)
    const passed = request({ hostname, port, path, method: incoming.method, headers: incoming.headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
      answer.on('error', () => outgoing.destroy())
    })
    passed.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()))
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = inner(incoming.url ?? '/')
    if (!allowWebSocket || path === null) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
      return
    }
    const { hostname, port } = new URL(proxy.target)
    const upstream = connect(Number(port), hostname, () => {
      const lines = incoming.rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${incoming.rawHeaders[index + 1]}`] : []))
      upstream.write(`${incoming.method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
      upstream.write(head)
      upstream.pipe(socket).pipe(upstream)
    })
    sockets.add(socket)
    const end = () => {
      sockets.delete(socket)
      socket.destroy()
      upstream.destroy()
    }
    for (const side of [socket, upstream]) side.on('error', end).on('close', end)
  })
  closeAfterFile(async () => {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  proxy.url = `http://127.0.0.1:${await listen(server)}`
  return proxy
}
