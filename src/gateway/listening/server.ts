import type { Config } from '#config'
import { createRequests, type RequestDeps } from '#gateway/http/requests.ts'
import type { ListeningPort } from './acceptor.ts'
import { createListeningApp } from './listeningApp.ts'

export interface ServerDeps extends RequestDeps {
  readonly config: RequestDeps['config'] & Pick<Config, 'tls'>
}

export interface Server {
  /**
   * Port 0: any free one. `url`: the URL at which this machine reaches it.
   *
   * @throws `TokenwireError` `config_invalid` that says why it can't listen; retryable when the port is taken
   */
  listen(host: string, port: number): Promise<Pick<ListeningPort, 'url' | 'port'>>
  /** New connections get the certificate of the files. @throws when these are no certificate and its key; the old one stays in use */
  renewCertificate(): void
  /** Stops accepting connections, closes the realtime ones, waits a bounded time for requests in flight, then closes all. */
  close(): Promise<void>
}

/** Listens and answers in this thread alone. */
export function createServer(deps: ServerDeps): Server {
  const requests = createRequests(deps)
  const app = createListeningApp(deps.config.tls, requests.prepare)
  let listening: ListeningPort | null = null
  let closed: Promise<void> | null = null

  async function close(): Promise<void> {
    listening?.stop()
    listening = null
    try {
      await requests.close()
    } finally {
      app.close()
    }
  }

  return {
    async listen(host, port) {
      listening = await app.listen(host, port)
      return listening
    },
    renewCertificate: app.renewCertificate,
    close() {
      closed ??= close()
      return closed
    },
  }
}
