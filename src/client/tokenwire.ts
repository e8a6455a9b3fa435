import type { ClientContext } from './context.ts'
import type { ConnectionPool, ConnectionState } from './feed/connectionPool.ts'
import type { Follow, LiveMethod } from './follow.ts'
import type { RestApi } from './generated/restMethods.ts'
import type { Reading, ReadingOptions } from './reading.ts'
import type { Rest } from './rest/rest.ts'
import type { WatchedToken, WatchOptions } from './watch/watch.ts'

/** What the package's other entry points build on. It may change with every version. */
export interface ClientExtension extends Pick<ClientContext, 'timers' | 'random' | 'closed' | 'dismissed' | 'pauses' | 'call' | 'onError'> {
  readonly rest: Rest
  readonly follow: Follow
  readonly pool: Pick<ConnectionPool, 'carry' | 'drop' | 'isLive'>
  /** Of a subscription. */
  nextKey(): string
  /** Reads over REST in place of a channel. While both transports are blocked, the client's state follows from these reads. */
  startReading(options: ReadingOptions): Reading
}

/** A client of one Tokenwire service. */
export interface Tokenwire extends RestApi {
  /**
   * The state of the token at this address as soon as it is known, and every newer one, never an older one. An address that is not indexed
   * yet may be watched: its updates come when it appears.
   *
   * @throws `TokenwireError` with code `rejected` when the address is none, `closed` after `close()`
   */
  readonly watch: LiveMethod<string, WatchedToken, WatchOptions>

  readonly extension: ClientExtension
  readonly state: ConnectionState
  /** Calls back with every change of `state`. Returns a function that removes the listener. */
  onState(listener: (state: ConnectionState) => void): () => void
  /**
   * Connects now instead of after the current pause. After the server asked the client not to reconnect, all listeners that ended with
   * `dismissed` go on.
   */
  reconnect(): void
  /** Closes every connection and cancels every timer. No listener is called any more; calls in flight end with code `closed`. */
  close(): void
}
