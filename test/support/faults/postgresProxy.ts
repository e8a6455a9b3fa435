import { connect, createServer, type Socket } from 'node:net'
import { closedAfterFile } from '#test/support/closeAfterFile.ts'
import { listen } from '#test/support/listen.ts'
import { errorResponse, FAILING, isReady, MessageReader, type Request, ROLLBACK } from './postgresMessages.ts'

/** The fault of one request. */
export type DatabaseMisfortune =
  /** Both sides lose the connection; the server never sees the request. */
  | { readonly kind: 'cut-before' }
  /** The server gets the request and the client no answer: it may be executed or not. */
  | { readonly kind: 'cut-inside' }
  /** The server executes the request, and its answer is lost. */
  | { readonly kind: 'cut-after' }
  /** The client loses the connection at once, and the server gets the request after that delay. */
  | { readonly kind: 'late'; readonly afterMs: number }
  /** From now on the connection passes nothing and stays open on both sides; `hears`: the server still gets the request. */
  | { readonly kind: 'silence'; readonly hears: boolean }
  /** The server answers with an error, and the transaction is rolled back. `fatal`: it also ends the connection. */
  | { readonly kind: 'error'; readonly sqlState: string; readonly message: string; readonly fatal: boolean }

export interface PostgresProxyOptions {
  /** The address of the database behind it. */
  readonly url: string
  readonly misfortune?: DecideMisfortune
}

/** Called for every request; returns its fault. `connection` is the same object for all requests of a connection. */
export type DecideMisfortune = (request: Request, connection: object) => DatabaseMisfortune | undefined

/** A TCP proxy in front of a PostgreSQL server that recognises requests and injects faults. */
export interface PostgresProxy {
  /** The database's address through the proxy. */
  readonly url: string
  setMisfortune(misfortune: DecideMisfortune | undefined): void
  /** Every client loses its connection, as when its process is killed. The server may still execute what was sent. */
  cutAll(): void
  /**
   * What is open now passes nothing any more and stays open, as behind a firewall that has forgotten it. New connections work, and those that
   * have sent no statement yet.
   */
  silenceAll(): void
  /** Whether a client has a connection that passes nothing any more. */
  hasSilentClients(): boolean
  /** The server ends the sessions of silent connections, as its own time-outs do, and rolls back their transactions. */
  endSilentSessions(): void
  /** `refusing`: refuses connections. `starting`: the server answers that it is not ready (57P03). */
  setServer(condition: 'up' | 'refusing' | 'starting'): void
  /** The name leads to the server of that URL from now on. What is open stays where it is. */
  setTarget(url: string): void
  stop(): Promise<void>
}

export async function startPostgresProxy({ url, misfortune }: PostgresProxyOptions): Promise<PostgresProxy> {
  let target = new URL(url)
  let decide = misfortune
  let condition: Parameters<PostgresProxy['setServer']>[0] = 'up'
  const clients = new Set<Socket>()
  const upstreams = new Set<Socket>()
  const relays = new Set<Relay>()
  const server = createServer({ noDelay: true, allowHalfOpen: true }, client => {
    clients.add(client)
    client.on('close', () => clients.delete(client))
    ignoreErrors(client)
    if (condition === 'refusing') client.resetAndDestroy()
    else if (condition === 'starting') {
      client.once('data', () => client.end(errorResponse('FATAL', '57P03', 'the database system is starting up')))
    } else {
      const upstream = connect({ host: target.hostname, port: Number(target.port), noDelay: true })
      ignoreErrors(upstream)
      upstreams.add(upstream)
      upstream.on('close', () => upstreams.delete(upstream))
      const connection = relay(client, upstream, request => decide?.(request, client))
      relays.add(connection)
      const forget = () => {
        if (client.closed && upstream.closed) relays.delete(connection)
      }
      client.on('close', forget)
      upstream.on('close', forget)
    }
  })
  const proxied = new URL(url)
  proxied.hostname = '127.0.0.1'
  proxied.port = String(await listen(server))
  const cutAll = () => {
    for (const client of clients) client.destroy()
  }
  return {
    url: proxied.href,
    setMisfortune: next => {
      decide = next
    },
    cutAll,
    silenceAll: () => {
      for (const connection of relays) connection.silence()
    },
    hasSilentClients: () => [...relays].some(connection => connection.hasSilentClient()),
    endSilentSessions: () => {
      for (const connection of relays) connection.endSilentSession()
    },
    setServer: next => {
      condition = next
    },
    setTarget: next => {
      target = new URL(next)
    },
    stop: closedAfterFile(async () => {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      cutAll()
      for (const upstream of upstreams) upstream.destroy()
      return closed.promise
    }),
  }
}

interface Relay {
  /** Neither side hears of the other any more, nor of its end. */
  silence(): void
  hasSilentClient(): boolean
  endSilentSession(): void
}

/** What the client is given of the server's answer to a request: all of it, nothing and then the end of the connection, or another error. */
type Answer = 'pass' | 'lose' | { readonly error: Buffer }

/** Forwards messages in both directions, request by request. The driver may send requests before earlier ones are answered. */
function relay(client: Socket, upstream: Socket, decide: (request: Request) => DatabaseMisfortune | undefined): Relay {
  /** Of the requests under way, in order. */
  const due: Answer[] = []
  let silent = false
  let hasSentStatement = false
  const requests = new MessageReader()
  const answers = new MessageReader({ started: true })

  const send = (bytes: Buffer, answer: Answer): void => {
    due.push(answer)
    upstream.write(bytes)
  }
  const suffer = (request: Request, misfortune: DatabaseMisfortune): void => {
    switch (misfortune.kind) {
      case 'cut-before':
        client.destroy()
        upstream.destroy()
        return
      case 'cut-inside':
        send(request.bytes, 'lose')
        client.destroy()
        return
      case 'cut-after':
        send(request.bytes, 'lose')
        return
      case 'late':
        due.push('lose')
        client.destroy()
        setTimeout(() => upstream.write(request.bytes), misfortune.afterMs)
        return
      case 'silence':
        silent = true
        if (misfortune.hears) upstream.write(request.bytes)
        return
      case 'error': {
        const response = errorResponse(misfortune.fatal ? 'FATAL' : 'ERROR', misfortune.sqlState, misfortune.message)
        if (misfortune.fatal) {
          client.end(response)
          upstream.destroy()
          // At the server, too, a commit that fails rolls back, and a statement that fails makes all later ones of its transaction fail.
        } else send(request.kind === 'commit' ? ROLLBACK : FAILING, { error: response })
      }
    }
  }

  client.on('data', (chunk: Buffer) => {
    if (silent) return
    for (const request of requests.requests(chunk)) {
      hasSentStatement ||= request.kind !== 'protocol'
      const misfortune = request.kind === 'protocol' ? undefined : decide(request)
      if (misfortune === undefined) {
        if (request.kind === 'protocol') upstream.write(request.bytes)
        else send(request.bytes, 'pass')
      } else suffer(request, misfortune)
    }
  })
  upstream.on('data', (chunk: Buffer) => {
    if (silent) return
    for (const message of answers.messages(chunk)) {
      const answer = due[0] ?? 'pass'
      if (answer === 'pass') client.write(message)
      if (!isReady(message)) continue
      if (answer === 'lose') {
        client.destroy()
        upstream.destroy()
        return
      }
      if (typeof answer === 'object') client.write(Buffer.concat([answer.error, message]))
      due.shift()
    }
  })
  client.on('end', () => {
    if (silent) client.destroy()
    else client.end()
  })
  client.on('close', () => {
    if (!due.includes('lose') && !silent) upstream.destroy()
  })
  upstream.on('close', () => {
    if (!silent) client.destroy()
  })
  return {
    silence: () => {
      silent = hasSentStatement
    },
    hasSilentClient: () => silent && !client.closed,
    endSilentSession: () => {
      if (silent) upstream.destroy()
    },
  }
}

function ignoreErrors(socket: Socket): void {
  // Errors of a connection that was broken on purpose are expected.
  socket.on('error', () => undefined)
}
