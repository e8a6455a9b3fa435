import type { Config } from '#config'
import { App, SSLApp, type TemplatedApp } from '#gateway/uWebSockets.ts'
import { type ListeningPort, type ListenOptions, listenWith } from './listenWith.ts'

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
export function createListeningApp(tls: Config['tls'], prepare: (app: TemplatedApp) => void): ListeningApp {
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
