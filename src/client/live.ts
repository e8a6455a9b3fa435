/* The public API of `tokenwire/client/live`. */

export type { Crossing, ListRow } from './generated/types.ts'
export { createLive } from './live/createLive.ts'
export type {
  BeginEvent,
  CandlesState,
  CrossingsEvent,
  CrossingsFilter,
  EventMethod,
  EventOptions,
  GapEvent,
  GraduationsEvent,
  GraduationsFilter,
  LatestTradesQuery,
  LaunchesEvent,
  LaunchesFilter,
  ListQuery,
  ListState,
  Live,
  LiveEvent,
  LiveHandle,
  LiveMethod,
  LivePosition,
  LiveQueryOptions,
  OpenLiveMethod,
  ReorgEvent,
  TradesEvent,
  TradesFilter,
  WalletState,
  WatchedCandlesQuery,
} from './live/liveTypes.ts'
