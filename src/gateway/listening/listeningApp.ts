import type { Config } from '#config'
import type { TemplatedApp } from '#gateway/uWebSockets.ts'
import { createAcceptor, createApp, type ListeningPort, listenWith } from './acceptor.ts'
import { createChildApps } from './childApps.ts'

/** An app of this thread whose certificate can be replaced while it listens. */
export interface ListeningApp {
  /** As `listenWith`. */
  listen(host: string, port: number): Promise<ListeningPort>
  /** New connections get the certificate of the files, open ones keep theirs. @throws when these are no certificate and its key */
  renewCertificate(): void
  close(): void
}

/** With TLS an acceptor hands each connection to a child app, and a renewal makes a new child app. `prepare` adds the routes to an app. */
export function createListeningApp(tls: Config['tls'], prepare: (app: TemplatedApp) => void): ListeningApp {
  if (tls === null) {
    const app = createApp(null)
    prepare(app)
    return { listen: (host, port) => listenWith(app, host, port, false), renewCertificate: () => {}, close: () => void app.close() }
  }
  const acceptor = createAcceptor(tls)
  const children = createChildApps(tls, prepare)
  acceptor.hand([children.descriptor()])
  return {
    listen: acceptor.listen,
    renewCertificate: () => {
      children.renew()
      acceptor.hand([children.descriptor()])
    },
    close: () => {
      acceptor.close()
      children.close()
    },
  }
}
