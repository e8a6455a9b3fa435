import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { ClientError, Result } from '#client/clientError.ts'
import type { ListState, Token, Trade } from '#client/generated/types.ts'
import type { ConnectionState } from './feed/connectionPool.ts'
import type { LiveMethod, LiveQueryOptions } from './follow.ts'
import type { CandlesState, LatestTradesQuery, ListQuery, Live, WatchedCandlesQuery } from './live/liveTypes.ts'
import type { Tokenwire } from './tokenwire.ts'
import type { WatchedToken, WatchOptions } from './watch/watch.ts'

/** What a hook knows, in the words of TanStack Query. */
export interface QueryState<Data> {
  /** The newest state; `undefined` before the first one. It stays when an error follows. */
  readonly data: Data | undefined
  /** Why there is no newer state, until there is one. `not_found`: the token is not indexed. `rejected`: the query is wrong. */
  readonly error: ClientError | null
  /** Whether there is neither data nor an error yet. */
  readonly isLoading: boolean
}

/**
 * The newest state of a token while the component is mounted. Nothing is thrown: an address that is none is the error `rejected`, and a
 * token that is not indexed the error `not_found` until it is. Without `initial`, a REST request asks whether it is indexed.
 *
 * @param initial the state that a server rendered
 */
export function useToken(client: Tokenwire, address: string, initial?: Token): QueryState<WatchedToken> {
  // It is the first state only, and a parent that renders it again must not restart the watch.
  const token = initial?.address === address.toLowerCase() ? initial : undefined
  const first: WatchedToken | undefined = token && {
    address: token.address,
    sequence: token.sequence,
    token,
    latestTrade: null,
    holders: null,
    source: 'initial',
  }
  return useQuery<string, WatchedToken, WatchOptions>(client.watch, address, first, {
    options: token && { initial: token },
    ask: signal => (token === undefined ? client.token(address, { signal }) : null),
  })
}

/** A list of tokens while the component is mounted. A query with equal fields is the same query. */
export function useList(live: Live, query: ListQuery = {}): QueryState<ListState> {
  return useQuery(live.list, query)
}

/** The newest tokens, the newest one first, as `useList`. */
export function useLaunches(live: Live, query: Omit<ListQuery, 'sort' | 'order'> = {}): QueryState<ListState> {
  return useList(live, { ...query, sort: 'createdAt', order: 'desc' })
}

/** The newest trades that match the query, newest first. Equal queries as with `useList`. */
export function useTrades(live: Live, query: LatestTradesQuery = {}): QueryState<readonly Trade[]> {
  return useQuery(live.latestTrades, query)
}

/** A token's newest candles. Equal queries as with `useList`. */
export function useCandles(live: Live, query: WatchedCandlesQuery): QueryState<CandlesState> {
  return useQuery(live.candles, query)
}

/** The state of the connection. */
export function useConnectionState(client: Tokenwire): ConnectionState {
  return useSyncExternalStore(
    useCallback(changed => client.onState(changed), [client]),
    () => client.state,
    () => 'connecting',
  )
}

interface Beginning<Options> {
  readonly options?: Options | undefined
  /** Asks for an error beside the query. */
  readonly ask?: (signal: AbortSignal) => Promise<Result<unknown>> | null
}

function useQuery<Query, Data, Options extends LiveQueryOptions>(
  method: LiveMethod<Query, Data, Options>,
  query: Query,
  first?: Data,
  { options = {} as Options, ask }: Beginning<Options> = {},
): QueryState<Data> {
  const store = useMemo(() => {
    let state: QueryState<Data> = { data: first, error: null, isLoading: first === undefined }
    return {
      get: () => state,
      subscribe: (changed: () => void) => {
        const ending = new AbortController()
        const { signal } = ending
        const show = (data: Data | undefined, error: ClientError | null) => {
          if (signal.aborted) return
          state = { data, error, isLoading: false }
          changed()
        }
        const fail = (error: unknown) => show(state.data, error as ClientError)
        try {
          method(query, data => show(data, null), { ...options, signal, onEnd: fail, onError: fail })
          void ask?.(signal)?.then(answer => answer.ok || fail(answer.error))
        } catch (error) {
          fail(error)
        }
        return () => ending.abort()
      },
    }
    // Compares the query by its fields, because components create it anew with every render.
  }, [method, JSON.stringify(query)])
  return useSyncExternalStore(store.subscribe, store.get, store.get)
}
