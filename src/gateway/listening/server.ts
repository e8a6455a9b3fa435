import type { Config } from '#config'
import { createRequests, type RequestDeps } from '#gateway/http/requests.ts'
import { createListeningApp } from './listeningApp.ts'
import type { ListeningPort, ListenOptions } from './listenWith.ts'

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
