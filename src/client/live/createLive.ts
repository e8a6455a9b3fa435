import type { Tokenwire } from '#client/tokenwire.ts'
import { missedLaunches, missedTrades, type Repair, reportedGap } from './gapRepair.ts'
import { type EventChannelSpec, LiveEvents } from './liveEvents.ts'
import { liveMethod } from './liveMethod.ts'
import { startCandles, startLatestTrades, startList, startWallet } from './liveStates.ts'
import type {
  CrossingsEvent,
  CrossingsFilter,
  EventMethod,
  EventOptions,
  GraduationsEvent,
  GraduationsFilter,
  LatestTradesQuery,
  LaunchesEvent,
  LaunchesFilter,
  ListQuery,
  Live,
  LiveEvent,
  TradesEvent,
  TradesFilter,
  WatchedCandlesQuery,
} from './liveTypes.ts'

/** Events of all tokens, and states that follow them, over the connections of a client. */
export function createLive(client: Tokenwire): Live {
  const { extension } = client

  function events<Filter extends object, Event extends TradesEvent | LaunchesEvent | GraduationsEvent | CrossingsEvent>(
    channel: EventChannelSpec<Event>['channel'],
    repairOf: (filter: Filter) => Repair<Event>,
  ): EventMethod<Filter, Event> {
    return liveMethod<Filter, LiveEvent<Event>, EventOptions>(
      extension,
      (filters, options, output) =>
        new LiveEvents<Event>(
          extension,
          { channel, filters, repair: options.repair === false ? null : repairOf(filters) },
          options,
          output,
        ),
      false,
    )
  }

  const state = <Query, News>(start: Parameters<typeof liveMethod<Query, News, object>>[1]) => liveMethod(extension, start, true)

  return {
    trades: events<TradesFilter, TradesEvent>('trades', filter => missedTrades(client, filter)),
    launches: events<LaunchesFilter, LaunchesEvent>('launches', filter => missedLaunches(client, filter)),
    graduations: events<GraduationsFilter, GraduationsEvent>('graduations', () => reportedGap),
    crossings: events<CrossingsFilter, CrossingsEvent>('crossings', () => reportedGap),
    list: state((query: ListQuery, _, output) => startList(client, query, output)),
    candles: state((query: WatchedCandlesQuery, _, output) => startCandles(client, query, output)),
    latestTrades: state((query: LatestTradesQuery, _, output) => startLatestTrades(client, query, output)),
    wallet: state((address: string, _, output) => startWallet(client, address, output)),
  }
}
