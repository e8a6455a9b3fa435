import type { Config } from '#config'
import { App, SSLApp, type TemplatedApp } from './uWebSockets.ts'

/** What the types of uWebSockets.js lack. */
interface ParentApp extends TemplatedApp {
  getDescriptor(): unknown
  addChildAppDescriptor(descriptor: unknown): void
  removeChildAppDescriptor(descriptor: unknown): void
}

/** An app of uWebSockets whose certificate can be replaced while it listens. */
export interface ListeningApp {
  /** Only for `listen`. */
  readonly acceptor: TemplatedApp
  /** New connections get the certificate of the files, open ones keep theirs. @throws when these are no certificate and its key */
  renewCertificate(): void
  close(): void
}

/**
 * The certificate of an app is fixed, so with TLS an acceptor hands each connection to a child app of the same thread, and a renewal gives
 * it a new child. `prepare` adds the routes to an app.
 */
export function createListeningApp(tls: Config['tls'], prepare: (app: TemplatedApp) => void): ListeningApp {
  if (tls === null) {
    const acceptor = App()
    prepare(acceptor)
    return { acceptor, renewCertificate: () => {}, close: () => void acceptor.close() }
  }
  const files = { cert_file_name: tls.certFile, key_file_name: tls.keyFile }
  const acceptor = SSLApp(files) as ParentApp
  /** With open connections perhaps, the newest last. */
  const children: ParentApp[] = []

  function renewCertificate(): void {
    const child = SSLApp(files) as ParentApp
    prepare(child)
    acceptor.addChildAppDescriptor(child.getDescriptor())
    const before = children.at(-1)
    if (before !== undefined) acceptor.removeChildAppDescriptor(before.getDescriptor())
    children.push(child)
  }

  renewCertificate()
  return {
    acceptor,
    renewCertificate,
    close() {
      for (const app of [acceptor, ...children]) app.close()
    },
  }
}
