import { Observable } from 'rxjs'
import type { LiveMethod, LiveQueryOptions } from './live/liveTypes.ts'
import type { ConnectionState, Tokenwire } from './tokenwire.ts'
import type { WatchedToken, WatchOptions } from './watch/watch.ts'

/** Each subscriber has a watch of its own; all share one subscription at the server. Errors when no more updates will come. */
export function watchToken(
  client: Tokenwire,
  address: string,
  options: Pick<WatchOptions, 'initial' | 'holders'> = {},
): Observable<WatchedToken> {
  return new Observable(subscriber => {
    const watch = client.watch(address, state => subscriber.next(state), { ...options, onEnd: error => subscriber.error(error) })
    return () => watch.close()
  })
}

/** A method of `createLive` with its query: `observeLive(live.trades, { minWeth: '1' })`. Errors when nothing more will come. */
export function observeLive<Query, News, Options extends LiveQueryOptions>(
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
