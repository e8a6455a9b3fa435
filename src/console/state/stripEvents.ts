import { effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals'
import { coalesce } from '#async/coalesce.ts'
import type { GraduationsEvent, LaunchesEvent, TradesEvent } from '#client/generated/types.ts'
import type { Live, LiveEvent } from '#client/live/liveTypes.ts'
import { pollMs } from '#client/timers.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { eventOfGraduation, eventOfLaunch, eventOfTrade, MAX_EVENTS, newestOfEach, type StripEvent } from './stripEvent.ts'
import { createThrottle } from './throttle.ts'
import type { TokenNames } from './tokenNames.ts'

/** Shortest time between two changes of what is shown, so that it can be read. */
const SHOWN_EVERY_MS = 2_000
/** How often events are asked for while they do not arrive, more seldom after failures. */
const POLL_MS = 15_000
/** Shortest time between two requests for what was left out: while the service catches up, each of its commits is a gap. */
const RELOAD_MS = 5_000
/** How long the subscriptions may take to begin before events are polled. */
const FIRST_POLL_MS = 2_000
/** Trades, launches and graduations. */
const KINDS = 3

export interface StripEvents {
  /** The newest events, whose tokens' names are loaded where possible. */
  readonly shown: ReadonlySignal<readonly StripEvent[]>
  /** While true, `shown` stays as it is. */
  readonly isHeld: Signal<boolean>
  stop(): void
}

interface StripEventsOptions {
  readonly client: Tokenwire
  readonly live: Live
  readonly names: TokenNames
  /** While true, nothing is subscribed and nothing is asked for. */
  readonly isPaused: ReadonlySignal<boolean>
}

/** Launches, trades and graduations of all tokens as they happen, or by polling. A hidden page gets none. */
export function createStripEvents({ client, live, names, isPaused }: StripEventsOptions): StripEvents {
  const shown = signal<readonly StripEvent[]>([])
  const isHeld = signal(false)
  const isVisible = signal(!document.hidden)
  let begun = 0
  /** Polls in a row that failed. */
  let failures = 0
  let held: readonly StripEvent[] = []
  /** Events that arrived since the last request for all was sent. */
  let arrived: readonly StripEvent[] = []
  let timer: number | undefined
  let ending = new AbortController()

  const loads = coalesce<AbortSignal>(async signal => {
    arrived = []
    const [trades, launched, migrated] = await Promise.all([
      client.marketTrades({ limit: MAX_EVENTS }, { signal, retries: 0 }),
      client.tokens({ sort: 'createdAt', limit: MAX_EVENTS / 2 }, { signal, retries: 0 }),
      client.tokens({ sort: 'migratedAt', status: 'migrated', limit: MAX_EVENTS / 2 }, { signal, retries: 0 }),
    ])
    if (signal.aborted) return
    failures = trades.ok && launched.ok && migrated.ok ? 0 : failures + 1
    const tokens = [launched, migrated].flatMap(result => (result.ok ? result.value.data : []))
    names.learn(tokens)
    held = newestOfEach([
      ...arrived,
      ...(trades.ok ? trades.value.data.map(eventOfTrade) : []),
      ...(launched.ok ? launched.value.data.map(eventOfLaunch) : []),
      ...(migrated.ok ? migrated.value.data.map(token => eventOfGraduation(token, null)) : []),
      // After a failed request, the events that are held stay.
      ...(failures === 0 ? [] : held),
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

  /** Shows the held events now, or at the end of `SHOWN_EVERY_MS`. */
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

  function receive(event: LiveEvent<TradesEvent | LaunchesEvent | GraduationsEvent>): void {
    switch (event.type) {
      case 'begin':
        if (++begun === KINDS) reload.request()
        break
      case 'gap':
        reload.request()
        break
      case 'reorg': {
        const isValid = ({ block }: StripEvent) => block !== null && block < Number(event.fromBlock)
        arrived = arrived.filter(isValid)
        held = held.filter(isValid)
        shown.value = shown.peek().filter(isValid)
        // An answer that is under way may still have the void events.
        reload.request()
        break
      }
      case 'trades':
        add(event.data.map(eventOfTrade))
        break
      case 'launches':
        names.learn(event.data)
        add(event.data.map(eventOfLaunch))
        break
      case 'graduations':
        names.learn(event.data)
        add(event.data.map(token => eventOfGraduation(token, Number(event.block))))
        break
    }
  }

  const stopFollowing = effect(() => {
    if (isPaused.value || !isVisible.value) return
    const { signal } = (ending = new AbortController())
    begun = 0
    const options = { signal, repair: false }
    untracked(() => {
      live.trades({}, receive, options)
      live.launches({}, receive, options)
      live.graduations({}, receive, options)
    })
    let next: number | undefined
    const pollAfter = (ms: number) => {
      next = window.setTimeout(() => {
        if (begun < KINDS || client.state !== 'live') loads.request(signal)
        pollAfter(pollMs(POLL_MS, Math.random, failures))
      }, ms)
    }
    pollAfter(FIRST_POLL_MS)
    return () => {
      ending.abort()
      clearTimeout(next)
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
