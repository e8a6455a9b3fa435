import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** The address of a database whose server gets everything that late, and how to close it. */
export async function delayDatabase(url: string, ms: number): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, client => {
    const upstream = connect({ host: target.hostname, port: Number(target.port), noDelay: true })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.on('data', chunk => setTimeout(() => upstream.write(chunk), ms))
    upstream.pipe(client)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const delayed = new URL(url)
  delayed.port = String((server.address() as AddressInfo).port)
  return {
    url: delayed.href,
    stop: () => {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      for (const socket of sockets) socket.destroy()
      return closed.promise
    },
  }
}
