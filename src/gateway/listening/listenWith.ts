import type { TemplatedApp, us_listen_socket } from '#gateway/uWebSockets.ts'
import { us_listen_socket_close, us_socket_local_port } from '#gateway/uWebSockets.ts'
import { bareHost, listenError, reachableUrl } from './listenAddress.ts'

/** `LIBUS_LISTEN_EXCLUSIVE_PORT`. Without it, a second process could listen on the port and take half of the connections. */
const EXCLUSIVE_PORT = 1
const SHARED_PORT = 0

export interface ListenOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Whether other processes listen on the port, too. The system gives each connection to one of them. Default: `false`. */
  readonly isShared?: boolean
}

export interface ListeningPort {
  /** The URL at which this machine reaches the port. */
  readonly url: string
  readonly port: number
  stop(): void
}

/** Has an app listen. @throws `TokenwireError` `config_invalid` that says why it can't; retryable when the port is taken */
export async function listenWith(app: TemplatedApp, isSecure: boolean, options: ListenOptions): Promise<ListeningPort> {
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
