import { createServer } from 'node:http'
import { connect } from 'node:net'
import { listen } from './listen.ts'

export interface ConnectProxy {
  /** With a user and password. */
  readonly url: string
  readonly host: string
  /** What it was asked to connect to, and by whom. */
  readonly seen: readonly string[]
  stop(): void
}

/** A proxy that finds every host on this machine, or answers every request with a status. */
export async function startConnectProxy(refusal: number | null = null): Promise<ConnectProxy> {
  const seen: string[] = []
  const server = createServer().on('connect', (asked, socket) => {
    seen.push(`${asked.headers['proxy-authorization']} ${asked.url}`)
    if (refusal !== null) return void socket.end(`HTTP/1.1 ${refusal} No\r\nContent-Length: 0\r\n\r\n`)
    const target = connect(Number(asked.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(target).pipe(socket)
    })
    for (const end of [socket, target]) end.on('error', () => [socket, target].forEach(one => one.destroy()))
    socket.on('close', () => target.destroy())
  })
  const host = `127.0.0.1:${await listen(server)}`
  return { url: `http://me:hidden-word@${host}`, host, seen, stop: () => void server.close() }
}
