import type { Config } from '#config'
import {
  App,
  SSLApp,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
} from '#gateway/uWebSockets.ts'
import { bareHost, listenError, reachableUrl } from './listenAddress.ts'

/** `LIBUS_LISTEN_EXCLUSIVE_PORT`: without it a second process could listen on the port and would take half of the connections. */
const EXCLUSIVE_PORT = 1

/** The methods that the types of uWebSockets.js lack. */
export interface LinkedApp extends TemplatedApp {
  getDescriptor(): AppDescriptor
  addChildAppDescriptor(descriptor: AppDescriptor): void
  removeChildAppDescriptor(descriptor: AppDescriptor): void
}

/** Names an app of any thread of the process. Can be sent to other threads. */
export type AppDescriptor = number & { readonly __brand: 'AppDescriptor' }

export interface ListeningPort {
  /** The URL at which this machine reaches the port. */
  readonly url: string
  readonly port: number
  stop(): void
}

/** Listens, and hands each connection to one of several apps in turns. These may be in other threads. */
export interface Acceptor {
  /** As `listenWith`. */
  listen(host: string, port: number): Promise<ListeningPort>
  /** From now on connections go to these apps. */
  hand(apps: readonly AppDescriptor[]): void
  close(): void
}

export function createAcceptor(tls: Config['tls']): Acceptor {
  const app = createApp(tls)
  let current: readonly AppDescriptor[] = []
  return {
    listen: (host, port) => listenWith(app, host, port, tls !== null),
    hand: apps => {
      for (const one of apps) app.addChildAppDescriptor(one)
      for (const one of current) app.removeChildAppDescriptor(one)
      current = apps
    },
    close: () => void app.close(),
  }
}

/** An app of uWebSockets. @throws when the files are no certificate and its key */
export function createApp(tls: Config['tls']): LinkedApp {
  return (tls === null ? App() : SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile })) as LinkedApp
}

/**
 * Port 0: any free one.
 *
 * @throws `TokenwireError` `config_invalid` that says why it can't listen; retryable when the port is taken
 */
export async function listenWith(app: TemplatedApp, host: string, port: number, isSecure: boolean): Promise<ListeningPort> {
  const bare = bareHost(host)
  const socket = await listen(app, bare, port)
  if (socket === null) throw await listenError(bare, port)
  const chosen = us_socket_local_port(socket)
  return { url: reachableUrl(bare, chosen, isSecure), port: chosen, stop: () => us_listen_socket_close(socket) }
}

function listen(app: TemplatedApp, host: string, port: number): Promise<us_listen_socket | null> {
  // uWebSockets' types lack this overload.
  const { listen } = app as unknown as {
    listen(host: string, port: number, options: number, onListening: (socket: us_listen_socket | false) => void): void
  }
  return new Promise(resolve => listen.call(app, host, port, EXCLUSIVE_PORT, socket => resolve(socket === false ? null : socket)))
}
