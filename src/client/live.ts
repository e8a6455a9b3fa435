/* The public API of `tokenwire/client/live`. */
export type {
  EventPosition,
  GraduationsEvent,
  LaunchesEvent,
  ListRow,
  ReorgEvent,
  TradesEvent,
} from './channelMessages.ts'
export { createLive } from './createLive.ts'
export type {
  BeginEvent,
  CandlesState,
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
  LiveOptions,
  OpenLiveMethod,
  TradesFilter,
  WalletState,
  WatchedCandlesQuery as LiveWatchedCandlesQuery,
} from './liveTypes.ts'
