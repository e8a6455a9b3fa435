import type { ClientContext } from './context.ts'
import type { ChannelLink, ChannelSubscriber } from './feed/carried.ts'
import type { RestApi } from './generated/restMethods.ts'
import type { Rest } from './rest/rest.ts'
import type { Watch, WatchedToken, WatchOptions } from './watch/watch.ts'

/**
 * - `connecting`: a WebSocket is being opened, for the first time or after one was lost
 * - `live`: updates arrive over WebSocket
 * - `fallback`: no WebSocket can be opened; updates arrive over event streams and REST while the client keeps trying
 * - `offline`: the server does not answer or asked the client not to reconnect, nothing is watched, or the client is closed
 */
export type ConnectionState = 'connecting' | 'live' | 'fallback' | 'offline'

/** What the package's other entry points build on. It may change with every version. */
export interface ClientExtension extends Pick<ClientContext, 'timers' | 'random' | 'closed' | 'dismissed' | 'pauses' | 'call' | 'onError'> {
  readonly rest: Rest
  subscribe(subscriber: ChannelSubscriber): ChannelLink
  /**
   * Reports a read over REST in place of a channel. While both transports are blocked, the client's state follows from these reports.
   *
   * @param isSuccess - `null`: the poller has stopped
   */
  polled(isSuccess: boolean | null, poller: object): void
}

/** A client of one Tokenwire service. */
export interface Tokenwire extends RestApi {
  /**
   * Calls `onUpdate` with the token's state as soon as it is known and with every newer one, never with an older one. An address
   * that is not indexed yet may be watched: its updates come when it appears.
   *
   * @throws `TokenwireError` with code `rejected` when `address` is not an address, `closed` after `close()`
   */
  watch(address: string, onUpdate: (state: WatchedToken) => void, options?: WatchOptions): Watch
  /**
   * `watch` as an async iterator, which watches from its first step on. A slow reader gets the newest state and skips the states
   * in between. The iterator ends when the signal aborts or the client is closed.
   *
   * @throws `TokenwireError` when no more updates will come: `dismissed` or `too_many_watches`
   */
  updates(address: string, options?: Pick<WatchOptions, 'signal' | 'initial'>): AsyncGenerator<WatchedToken, undefined, undefined>

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
