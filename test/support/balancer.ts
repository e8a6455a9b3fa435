import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { closedAfterFile } from './closeAfterFile.ts'
import { listen } from './listen.ts'

/** Gives each connection to the server that has the fewest, as a TCP balancer does; a server that refuses one is passed over. */
export interface Balancer {
  readonly url: string
  /** The URLs of the servers. */
  readonly servers: string[]
  stop(): Promise<void>
}

export async function startBalancer(): Promise<Balancer> {
  const servers: string[] = []
  const open = new Set<Socket>()
  const counts = new Map<string, number>()
  const count = (url: string, more: number) => counts.set(url, (counts.get(url) ?? 0) + more)

  const accept = async (client: Socket): Promise<void> => {
    open.add(client)
    client.on('error', () => client.destroy())
    client.once('close', () => open.delete(client))
    for (const url of servers.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))) {
      count(url, 1)
      client.once('close', () => count(url, -1))
      const server = await connected(url)
      if (server === null) continue
      server.on('error', () => server.destroy())
      client.pipe(server)
      server.pipe(client)
      client.once('close', () => server.destroy())
      server.once('close', () => client.destroy())
      return
    }
    client.destroy()
  }

  const listener = createServer({ noDelay: true }, client => void accept(client))
  return {
    url: `http://127.0.0.1:${await listen(listener)}`,
    servers,
    stop: closedAfterFile(async () => {
      const closed = once(listener, 'close')
      listener.close()
      for (const socket of open) socket.destroy()
      await closed
    }),
  }
}

/** `null`: it was refused. */
function connected(url: string): Promise<Socket | null> {
  return new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), noDelay: true })
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(null))
  })
}
