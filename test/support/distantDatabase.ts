import { connect, createServer, type Socket } from 'node:net'
import { closedAfterFile } from './closeAfterFile.ts'
import { isReady, MessageReader } from './faults/postgresMessages.ts'
import { listen } from './listen.ts'

export interface DistantDatabase {
  /** The database's address through the proxy. */
  readonly url: string
  /**
   * The round trips so far: each statement counts as sent after the newest answer that any client has had. Statements that are sent together,
   * on one connection or on several, share a round trip.
   */
  roundTrips(): number
  stop(): Promise<void>
}

/**
 * A TCP proxy before a PostgreSQL server that counts round trips.
 *
 * @param oneWayMs how long each chunk takes in each direction. Default: no time
 */
export async function startDistantDatabase(url: string, oneWayMs = 0): Promise<DistantDatabase> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let answered = 0
  const travel = (arrive: () => void) => void (oneWayMs === 0 ? arrive() : setTimeout(arrive, oneWayMs))
  const server = createServer({ noDelay: true }, client => {
    const upstream = connect({ host: target.hostname, port: Number(target.port), noDelay: true })
    const [requests, answers] = [new MessageReader(), new MessageReader({ started: true })]
    /** The round trips of the statements under way, in order. */
    const underWay: number[] = []
    client.on('data', (chunk: Buffer) => {
      for (const { kind } of requests.requests(chunk)) if (kind !== 'protocol') underWay.push(answered + 1)
      travel(() => upstream.write(chunk))
    })
    upstream.on('data', (chunk: Buffer) =>
      travel(() => {
        for (const message of answers.messages(chunk)) if (isReady(message)) answered = Math.max(answered, underWay.shift() ?? 0)
        client.write(chunk)
      }),
    )
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        travel(() => to.destroy())
      })
    }
  })
  const proxied = new URL(url)
  proxied.hostname = '127.0.0.1'
  proxied.port = String(await listen(server))
  return {
    url: proxied.href,
    roundTrips: () => answered,
    stop: closedAfterFile(async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>(resolve => void server.close(() => resolve()))
    }),
  }
}
