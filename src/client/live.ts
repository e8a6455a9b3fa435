/* The public API of `tokenwire/client/live`. */
export type {
  CrossingsEvent,
  GraduationsEvent,
  LaunchesEvent,
  LivePosition,
  ReorgEvent,
  TradesEvent,
} from './feed/channelMessages.ts'
export type { Crossing, ListRow } from './generated/types.ts'
export { createLive } from './live/createLive.ts'
export type {
  BeginEvent,
  CandlesState,
  CrossingsFilter,
  EventMethod,
  EventOptions,
  GapEvent,
  GraduationsFilter,
  LatestTradesQuery,
  LaunchesFilter,
  ListQuery,
  ListState,
  Live,
  LiveEvent,
  LiveHandle,
  LiveMethod,
  LiveQueryOptions,
  OpenLiveMethod,
  TradesFilter,
  WalletState,
  WatchedCandlesQuery,
} from './live/liveTypes.ts'
