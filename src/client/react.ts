import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { Token, Trade } from '#client/generated/types.ts'
import type { CandlesState, LatestTradesQuery, ListQuery, ListState, Live, LiveHandle, WatchedCandlesQuery } from './live/liveTypes.ts'
import type { ConnectionState, Tokenwire } from './tokenwire.ts'
import type { WatchedToken } from './watch/watch.ts'

/** The newest state of a token while the component is mounted; `null` before the first one. `initial`: the state that a server rendered. */
export function useToken(client: Tokenwire, address: string, initial?: Token): WatchedToken | null {
  const store = useMemo(() => {
    let state: WatchedToken | null =
      initial === undefined || initial.address !== address.toLowerCase()
        ? null
        : { address: initial.address, sequence: initial.sequence, token: initial, latestTrade: null, holders: null, source: 'initial' }
    return {
      get: () => state,
      subscribe: (changed: () => void) => {
        const onUpdate = (news: WatchedToken) => {
          state = news
          changed()
        }
        return client.watch(address, onUpdate, state === null ? {} : { initial: state.token }).close
      },
    }
    // Without `initial`: it is the first state only, and a parent that renders it again must not restart the watch.
  }, [client, address])
  return useSyncExternalStore(store.subscribe, store.get, store.get)
}

/** A list of tokens while the component is mounted; `null` before the first state. A query with equal fields is the same query. */
export function useList(live: Live, query: ListQuery = {}): ListState | null {
  return useLive<ListState>(listener => live.list(query, listener), live, query)
}

/** The newest trades that match the query, newest first. `null` and equal queries as with `useList`. */
export function useTrades(live: Live, query: LatestTradesQuery = {}): readonly Trade[] | null {
  return useLive<readonly Trade[]>(listener => live.latestTrades(query, listener), live, query)
}

/** A token's newest candles. `null` and equal queries as with `useList`. */
export function useCandles(live: Live, query: WatchedCandlesQuery): CandlesState | null {
  return useLive<CandlesState>(listener => live.candles(query, listener), live, query)
}

function useLive<News>(start: (listener: (news: News) => void) => LiveHandle, live: Live, query: object): News | null {
  const store = useMemo(() => {
    let state: News | null = null
    return {
      get: () => state,
      subscribe: (changed: () => void) =>
        start(news => {
          state = news
          changed()
        }).close,
    }
    // Compares the query by its fields, because components create it anew with every render.
  }, [live, JSON.stringify(query)])
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
