import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { Token } from '#domain/token.ts'
import type { ConnectionState, Tokenwire } from './tokenwire.ts'
import type { WatchedToken } from './watch.ts'

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

/** The state of the connection. */
export function useConnectionState(client: Tokenwire): ConnectionState {
  return useSyncExternalStore(
    useCallback(changed => client.onState(changed), [client]),
    () => client.state,
    () => 'connecting',
  )
}
