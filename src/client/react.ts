import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { ClientError } from '#client/clientError.ts'
import type { Token, Trade } from '#client/generated/types.ts'
import type {
  CandlesState,
  LatestTradesQuery,
  ListQuery,
  ListState,
  Live,
  LiveHandle,
  LiveListenerOptions,
  WatchedCandlesQuery,
} from './live/liveTypes.ts'
import type { ConnectionState, Tokenwire } from './tokenwire.ts'
import type { WatchedToken } from './watch/watch.ts'

/** What a hook knows, in the words of TanStack Query. */
export interface QueryState<Data> {
  /** The newest state; `undefined` before the first one. It stays when an error follows. */
  readonly data: Data | undefined
  /** Why there is no newer state, until there is one. `not_found`: the token is not indexed. `rejected`: the query is wrong. */
  readonly error: ClientError | null
  /** Whether there is neither data nor an error yet. */
  readonly isLoading: boolean
}

type Start<Data> = (next: (data: Data) => void, fail: (error: ClientError) => void) => () => void

/**
 * The newest state of a token while the component is mounted. Nothing is thrown: an address that is none is the error `rejected`, and a
 * token that is not indexed the error `not_found` until it is. Without `initial`, a REST request asks whether it is indexed.
 *
 * @param initial the state that a server rendered
 */
export function useToken(client: Tokenwire, address: string, initial?: Token): QueryState<WatchedToken> {
  const first: WatchedToken | undefined =
    initial === undefined || initial.address !== address.toLowerCase()
      ? undefined
      : { address: initial.address, sequence: initial.sequence, token: initial, latestTrade: null, holders: null, source: 'initial' }
  const start: Start<WatchedToken> = (next, fail) => {
    const ending = new AbortController()
    const { signal } = ending
    try {
      client.watch(address, next, { signal, onEnd: fail, ...(first && { initial: first.token }) })
    } catch (error) {
      fail(error as ClientError)
      return () => {}
    }
    if (first === undefined) void client.token(address, { signal }).then(answer => answer.ok || signal.aborted || fail(answer.error))
    return () => ending.abort()
  }
  // Without `initial`: it is the first state only, and a parent that renders it again must not restart the watch.
  return useStarted(start, [client, address], first)
}

/** A list of tokens while the component is mounted. A query with equal fields is the same query. */
export function useList(live: Live, query: ListQuery = {}): QueryState<ListState> {
  return useLive<ListState>((listener, options) => live.list(query, listener, options), live, query)
}

/** The newest tokens, the newest one first, as `useList`. */
export function useLaunches(live: Live, query: Omit<ListQuery, 'sort' | 'order'> = {}): QueryState<ListState> {
  return useList(live, { ...query, sort: 'createdAt', order: 'desc' })
}

/** The newest trades that match the query, newest first. Equal queries as with `useList`. */
export function useTrades(live: Live, query: LatestTradesQuery = {}): QueryState<readonly Trade[]> {
  return useLive<readonly Trade[]>((listener, options) => live.latestTrades(query, listener, options), live, query)
}

/** A token's newest candles. Equal queries as with `useList`. */
export function useCandles(live: Live, query: WatchedCandlesQuery): QueryState<CandlesState> {
  return useLive<CandlesState>((listener, options) => live.candles(query, listener, options), live, query)
}

function useLive<News>(
  start: (listener: (news: News) => void, options: LiveListenerOptions) => LiveHandle,
  live: Live,
  query: object,
): QueryState<News> {
  const startLive: Start<News> = (next, fail) => {
    try {
      return start(next, { onEnd: fail, onError: error => fail(error as ClientError) }).close
    } catch (error) {
      fail(error as ClientError)
      return () => {}
    }
  }
  // Compares the query by its fields, because components create it anew with every render.
  return useStarted(startLive, [live, JSON.stringify(query)])
}

function useStarted<Data>(start: Start<Data>, dependencies: readonly unknown[], first?: Data): QueryState<Data> {
  const store = useMemo(() => {
    let state: QueryState<Data> = { data: first, error: null, isLoading: first === undefined }
    return {
      get: () => state,
      subscribe: (changed: () => void) => {
        const show = (data: Data | undefined, error: ClientError | null) => {
          state = { data, error, isLoading: false }
          changed()
        }
        return start(
          data => show(data, null),
          error => show(state.data, error),
        )
      },
    }
  }, dependencies)
  return useSyncExternalStore(store.subscribe, store.get, store.get)
}

/** The state of the connection. */
export function useConnectionState(client: Tokenwire): ConnectionState {
  return useSyncExternalStore(
    useCallback(changed => client.onState(changed), [client]),
    () => client.state,
    () => 'connecting',
  )
}
