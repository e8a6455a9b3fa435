import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import type { Config } from '#config'
import { TokenwireError } from '#errors'
import { createRequests, type RequestDeps } from '#gateway/http/requests.ts'
import {
  App,
  SSLApp,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
} from '#gateway/uWebSockets.ts'

export interface ServerDeps extends RequestDeps {
  readonly config: RequestDeps['config'] & Pick<Config, 'tls'>
}

export interface Server {
  /**
   * May be called for several ports. `url`: the URL at which this machine reaches it.
   *
   * @throws `TokenwireError` `config_invalid` that says why it can't listen; retryable when the port is taken
   */
  listen(options: ListenOptions): Promise<Pick<ListeningPort, 'url' | 'port'>>
  /** Gives new connections the certificate of the files. @throws when these are no certificate and its key; the old one stays in use */
  renewCertificate(): void
  /** Stops accepting connections, closes the realtime ones, waits a bounded time for requests in flight, then closes all. */
  close(): Promise<void>
}

export function createServer(deps: ServerDeps): Server {
  const requests = createRequests(deps)
  const app = createListeningApp(deps.config.tls, requests.prepare)
  const listening: ListeningPort[] = []
  let closed: Promise<void> | null = null

  async function close(): Promise<void> {
    for (const { stop } of listening.splice(0)) stop()
    try {
      await requests.close()
    } finally {
      app.close()
    }
  }

  return {
    async listen(options) {
      const port = await app.listen(options)
      listening.push(port)
      return port
    },
    renewCertificate: app.renewCertificate,
    close() {
      closed ??= close()
      return closed
    },
  }
}

/** The methods that the types of uWebSockets.js lack. */
interface LinkedApp extends TemplatedApp {
  getDescriptor(): number
  addChildAppDescriptor(descriptor: number): void
  removeChildAppDescriptor(descriptor: number): void
}

/** An app whose certificate can be replaced while it listens. */
export interface ListeningApp {
  /** As `listenWith`. May be called for several ports. */
  listen(options: ListenOptions): Promise<ListeningPort>
  /** Gives new connections the certificate of the files. Open ones keep theirs. @throws when these are no certificate and its key */
  renewCertificate(): void
  close(): void
}

/**
 * Creates an app. The certificate of an app is fixed, so with TLS it passes each connection to a child app, and a renewal makes a new child
 * app. Earlier ones get no new connections but may have open ones. `prepare` adds the routes to an app.
 */
function createListeningApp(tls: Config['tls'], prepare: (app: TemplatedApp) => void): ListeningApp {
  if (tls === null) {
    const app = App()
    prepare(app)
    return { listen: options => listenWith(app, false, options), renewCertificate: () => {}, close: () => void app.close() }
  }
  const createApp = () => SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile }) as LinkedApp
  const acceptor = createApp()
  const children: LinkedApp[] = []
  const renewCertificate = () => {
    const child = createApp()
    prepare(child)
    acceptor.addChildAppDescriptor(child.getDescriptor())
    const replaced = children.at(-1)
    if (replaced !== undefined) acceptor.removeChildAppDescriptor(replaced.getDescriptor())
    children.push(child)
  }
  renewCertificate()
  return {
    listen: options => listenWith(acceptor, true, options),
    renewCertificate,
    close: () => {
      for (const app of [acceptor, ...children]) app.close()
    },
  }
}

/** `LIBUS_LISTEN_EXCLUSIVE_PORT`. Without it, a second process could listen on the port and take half of the connections. */
const EXCLUSIVE_PORT = 1
const SHARED_PORT = 0

interface ListenOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Whether other processes listen on the port, too. The system gives each connection to one of them. Default: `false`. */
  readonly isShared?: boolean
}

interface ListeningPort {
  /** The URL at which this machine reaches the port. */
  readonly url: string
  readonly port: number
  stop(): void
}

/** Has an app listen. @throws `TokenwireError` `config_invalid` that says why it can't; retryable when the port is taken */
async function listenWith(app: TemplatedApp, isSecure: boolean, options: ListenOptions): Promise<ListeningPort> {
  const { port, isShared = false } = options
  const host = bareHost(options.host)
  const socket = await listen(app, host, port, isShared ? SHARED_PORT : EXCLUSIVE_PORT)
  if (socket === null) throw await listenError(host, port)
  const chosen = us_socket_local_port(socket)
  return { url: reachableUrl(host, chosen, isSecure), port: chosen, stop: () => us_listen_socket_close(socket) }
}

function listen(app: TemplatedApp, host: string, port: number, flags: number): Promise<us_listen_socket | null> {
  // uWebSockets' types lack this overload.
  const { listen } = app as unknown as {
    listen(host: string, port: number, options: number, onListening: (socket: us_listen_socket | false) => void): void
  }
  return new Promise(resolve => listen.call(app, host, port, flags, socket => resolve(socket === false ? null : socket)))
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else listens there already',
  EADDRNOTAVAIL: 'the host is not an address of this machine',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name is not known',
  EACCES: 'the port needs more rights than this process has',
}

/** A host without the brackets that IPv6 addresses have in URLs. */
function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

/** A URL at which this machine reaches a server that listens on that bare host. A wildcard becomes loopback. */
function reachableUrl(host: string, port: number, tls: boolean): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${tls ? 'https' : 'http'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** Finds out why listening fails: uWebSockets gives no reason, so Node's own server tries the same. */
async function listenError(host: string, port: number): Promise<TokenwireError> {
  const tried = await tryPort(host, port)
  return toError(host, port, typeof tried === 'number' ? null : tried)
}

/**
 * Checks or chooses a port for processes to share, none of which would notice another program on it. 0 chooses any free one, since the
 * system lets no second process onto a port that it has chosen for the first.
 *
 * @throws what `listenError` returns
 */
export async function findFreePort(host: string, port: number): Promise<number> {
  const tried = await tryPort(bareHost(host), port)
  if (typeof tried !== 'number') throw toError(bareHost(host), port, tried)
  return tried
}

function toError(host: string, port: number, cause: NodeJS.ErrnoException | null): TokenwireError {
  const code = cause?.code ?? 'EADDRINUSE'
  const reason = REASONS[code] ?? code
  return new TokenwireError('config_invalid', `HOST ${host}, PORT ${port}: cannot listen, ${reason}`, {
    retryable: code === 'EADDRINUSE',
    cause,
  })
}

/** Listens for a moment. @returns the port, or the error */
function tryPort(host: string, port: number): Promise<number | NodeJS.ErrnoException> {
  return new Promise(resolve => {
    const server = createTcpServer()
    server.once('error', resolve)
    server.listen({ host, port, exclusive: true }, () => {
      const { port: chosen } = server.address() as AddressInfo
      server.close(() => resolve(chosen))
    })
  })
}
