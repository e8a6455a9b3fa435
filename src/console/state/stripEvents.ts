import { effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals'
import { coalesce } from '#async/coalesce.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { EVENT_CHANNELS } from '#protocol/channels.ts'
import type { ChannelFeed } from './channelFeed.ts'
import type { FeedMessage } from './feedMessage.ts'
import type { MarketApi } from './marketApi.ts'
import { eventOfGraduation, eventOfLaunch, eventOfTrade, MOST_EVENTS, newestOfEach, type StripEvent } from './stripEvent.ts'
import { createThrottle } from './throttle.ts'
import type { TokenNames } from './tokenNames.ts'

/** Shortest time between two changes of what is shown, so that it can be read. */
const SHOWN_EVERY_MS = 2_000
/** How often events are asked for while the channels are not available. */
const POLL_MS = 15_000
/** Shortest time between two requests for what channels left out: while the service catches up, each of its commits is a gap. */
const RELOAD_MS = 5_000
/** Time that the channels have to answer before events are asked for. */
const FIRST_POLL_MS = 2_000

export interface StripEvents {
  /** The newest events, whose tokens' names are loaded where possible. */
  readonly shown: ReadonlySignal<readonly StripEvent[]>
  /** While true, `shown` stays as it is. */
  readonly isHeld: Signal<boolean>
  stop(): void
}

interface StripEventsOptions {
  readonly client: Tokenwire
  readonly api: MarketApi
  readonly feed: ChannelFeed
  readonly names: TokenNames
  /** While true, nothing is subscribed and nothing is asked for. */
  readonly isPaused: ReadonlySignal<boolean>
}

/** Launches, trades and graduations of all tokens: over channels, else by polling. A hidden page is not told. */
export function createStripEvents({ client, api, feed, names, isPaused }: StripEventsOptions): StripEvents {
  const shown = signal<readonly StripEvent[]>([])
  const isHeld = signal(false)
  const isVisible = signal(!document.hidden)
  const live = new Set<string>()
  let held: readonly StripEvent[] = []
  /** Events of channels since the last request for all was sent. */
  let arrived: readonly StripEvent[] = []
  let timer: number | undefined
  let ending = new AbortController()

  const loads = coalesce<AbortSignal>(async signal => {
    arrived = []
    const [trades, launched, migrated] = await Promise.all([
      api.marketTrades({ limit: MOST_EVENTS }, { signal, retries: 0 }),
      client.tokens({ sort: 'createdAt', limit: MOST_EVENTS / 2 }, { signal, retries: 0 }),
      client.tokens({ sort: 'migratedAt', status: 'migrated', limit: MOST_EVENTS / 2 }, { signal, retries: 0 }),
    ])
    if (signal.aborted) return
    const tokens = [launched, migrated].flatMap(result => (result.ok ? result.value.data : []))
    names.learn(tokens)
    held = newestOfEach([
      ...arrived,
      ...(trades.ok ? trades.value.data.map(eventOfTrade) : []),
      ...(launched.ok ? launched.value.data.map(eventOfLaunch) : []),
      ...(migrated.ok ? migrated.value.data.map(token => eventOfGraduation(token, null)) : []),
      // What could not be loaded stays.
      ...(trades.ok && launched.ok && migrated.ok ? [] : held),
    ])
    show()
  }, reportError)

  const reload = createThrottle(() => loads.request(ending.signal), RELOAD_MS)

  const shows = coalesce<AbortSignal>(async signal => {
    await names.load(
      held.map(({ token }) => token),
      signal,
    )
    if (!signal.aborted && !isHeld.peek()) shown.value = held
  }, reportError)

  /** Shows what is held now, unless that was done a moment ago. */
  function show(): void {
    if (timer !== undefined || isHeld.peek() || ending.signal.aborted) return
    shows.request(ending.signal)
    timer = window.setTimeout(() => {
      timer = undefined
      if (shown.peek() !== held) show()
    }, SHOWN_EVERY_MS)
  }

  /** @param events - in the order in which they happened */
  function add(events: readonly StripEvent[]): void {
    const latest = events.toReversed()
    arrived = newestOfEach([...latest, ...arrived])
    held = newestOfEach([...latest, ...held])
    show()
  }

  function receive(channel: string, message: FeedMessage): void {
    switch (message.type) {
      case 'subscribed':
        live.add(channel)
        if (live.size === EVENT_CHANNELS.length) reload.request()
        break
      case 'error':
        live.delete(channel)
        break
      case 'gap':
        reload.request()
        break
      case 'reorg': {
        const isValid = ({ block }: StripEvent) => block !== null && block < Number(message.fromBlock)
        arrived = arrived.filter(isValid)
        held = held.filter(isValid)
        shown.value = shown.peek().filter(isValid)
        // An answer that is under way may still have the void events.
        reload.request()
        break
      }
      case 'trades':
        add(message.data.map(eventOfTrade))
        break
      case 'launches':
        names.learn(message.data)
        add(message.data.map(eventOfLaunch))
        break
      case 'graduations':
        names.learn(message.data)
        add(message.data.map(token => eventOfGraduation(token, Number(message.block))))
        break
      case 'list':
        break
    }
  }

  const stopFollowing = effect(() => {
    if (isPaused.value || !isVisible.value) return
    const { signal } = (ending = new AbortController())
    const ends = untracked(() =>
      EVENT_CHANNELS.map(channel =>
        feed.subscribe({ channel, onMessage: message => receive(channel, message), onLost: () => live.delete(channel) }),
      ),
    )
    const loadUnlessLive = () => {
      if (live.size < EVENT_CHANNELS.length) loads.request(signal)
    }
    const first = setTimeout(loadUnlessLive, FIRST_POLL_MS)
    const poll = setInterval(loadUnlessLive, POLL_MS)
    return () => {
      ending.abort()
      live.clear()
      clearTimeout(first)
      clearInterval(poll)
      for (const end of ends) end()
    }
  })
  const stopHolding = effect(() => {
    if (!isHeld.value) untracked(show)
  })
  const seen = () => {
    isVisible.value = !document.hidden
  }
  document.addEventListener('visibilitychange', seen)

  return {
    shown,
    isHeld,
    stop() {
      stopFollowing()
      stopHolding()
      clearTimeout(timer)
      reload.stop()
      loads.stop()
      shows.stop()
      document.removeEventListener('visibilitychange', seen)
    },
  }
}
