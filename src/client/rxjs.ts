import { Observable } from 'rxjs'
import type { ConnectionState } from './feed/connectionPool.ts'
import type { LiveMethod, LiveQueryOptions } from './follow.ts'
import type { Tokenwire } from './tokenwire.ts'

/**
 * `watch` of a client or a method of `createLive`, with its query: `observe(live.trades, { minWeth: '1' })`. Watches of one token share a
 * subscription at the server. Errors when nothing more will come.
 */
export function observe<Query, News, Options extends LiveQueryOptions>(
  method: LiveMethod<Query, News, Options>,
  query: Query,
  options = {} as Options,
): Observable<News> {
  return new Observable(subscriber => {
    const handle = method(query, news => subscriber.next(news), { ...options, onEnd: error => subscriber.error(error) })
    return () => handle.close()
  })
}

/** The state of the connection, beginning with the current one. */
export function connectionState(client: Tokenwire): Observable<ConnectionState> {
  return new Observable(subscriber => {
    subscriber.next(client.state)
    return client.onState(state => subscriber.next(state))
  })
}
