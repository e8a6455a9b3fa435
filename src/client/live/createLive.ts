import type {
  CrossingsEvent,
  CrossingsFilter,
  GraduationsEvent,
  GraduationsFilter,
  LaunchesEvent,
  LaunchesFilter,
  TradesEvent,
  TradesFilter,
} from '#client/generated/types.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { missedLaunches, missedTrades, type Repair, reportedGap } from './gapRepair.ts'
import { type AnyEvent, type EventChannelSpec, LiveEvents } from './liveEvents.ts'
import { startCandles, startLatestTrades, startList, startWallet } from './liveStates.ts'
import type { EventMethod, EventOptions, LatestTradesQuery, ListQuery, Live, LiveEvent, WatchedCandlesQuery } from './liveTypes.ts'

/** Events of all tokens, and states that follow them, over the connections of a client. */
export function createLive(client: Tokenwire): Live {
  const { extension } = client
  const { follow } = extension

  function events<Filter extends object, Event extends AnyEvent>(
    channel: EventChannelSpec<Event>['channel'],
    repairOf: (filter: Filter) => Repair<Event>,
  ): EventMethod<Filter, Event> {
    return follow<Filter, LiveEvent<Event>, EventOptions>((filters, options, output) => {
      const repair = options.repair === false ? null : repairOf(filters)
      return new LiveEvents<Event>(extension, { channel, filters, repair }, options, output)
    }, false)
  }

  return {
    trades: events<TradesFilter, TradesEvent>('trades', filter => missedTrades(client, filter)),
    launches: events<LaunchesFilter, LaunchesEvent>('launches', filter => missedLaunches(client, filter)),
    graduations: events<GraduationsFilter, GraduationsEvent>('graduations', () => reportedGap),
    crossings: events<CrossingsFilter, CrossingsEvent>('crossings', () => reportedGap),
    list: follow((query: ListQuery, _, output) => startList(client, query, output), true),
    candles: follow((query: WatchedCandlesQuery, _, output) => startCandles(client, query, output), true),
    latestTrades: follow((query: LatestTradesQuery, _, output) => startLatestTrades(client, query, output), true),
    wallet: follow((address: string, _, output) => startWallet(client, address, output), true),
  }
}
