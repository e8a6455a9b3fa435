import type { Config } from '#config'
import type { TemplatedApp } from '#gateway/uWebSockets.ts'
import { type AppDescriptor, createApp, type LinkedApp } from './acceptor.ts'

/** The apps of one thread that get their connections from an acceptor, which may be in another thread. */
export interface ChildApps {
  /** The app for new connections. */
  descriptor(): AppDescriptor
  /**
   * Makes another app for new connections, with the certificate of the files, because an app's certificate is fixed. Open connections
   * keep theirs.
   *
   * @throws when the files are no certificate and its key
   */
  renew(): void
  close(): void
}

/** @param prepare adds the routes to an app */
export function createChildApps(tls: Config['tls'], prepare: (app: TemplatedApp) => void): ChildApps {
  const make = (): LinkedApp => {
    const app = createApp(tls)
    prepare(app)
    return app
  }
  let newest = make()
  /** Replaced apps, which get no new connections but may have open ones. */
  const earlier: LinkedApp[] = []
  return {
    descriptor: () => newest.getDescriptor(),
    renew: () => {
      const app = make()
      earlier.push(newest)
      newest = app
    },
    close: () => {
      for (const app of [...earlier, newest]) app.close()
    },
  }
}
