import { useEffect, useMemo, useRef } from 'preact/hooks'
import { shortHex } from '#console/format/text.ts'
import { Avatar } from '#console/parts/avatar.tsx'
import { useFitting } from '#console/parts/fitting.ts'
import { useHolding } from '#console/parts/holding.ts'
import { PauseIcon, PlayIcon } from '#console/parts/icons.tsx'
import { useRovingFocus } from '#console/parts/rovingFocus.ts'
import { Symbol } from '#console/parts/tokenName.tsx'
import { Age, Money } from '#console/parts/value.tsx'
import { isStripPaused } from '#console/state/preferences.ts'
import { hrefOf } from '#console/state/route.ts'
import { client, live, tokenNames } from '#console/state/session.ts'
import { eventsFor, type StripEvent } from '#console/state/stripEvent.ts'
import { createStripEvents } from '#console/state/stripEvents.ts'

/** Least width of an event, in rem. */
const EVENT_REM = 11.5

const KINDS = {
  launch: { text: 'New', kind: 'accent' },
  graduation: { text: 'Graduated', kind: 'fair' },
  buy: { text: 'Buy', kind: 'good' },
  sell: { text: 'Sell', kind: 'bad' },
} as const

/** The newest launches, trades and graduations of all tokens. It rests while the pointer is over it or the focus in it. */
export function LiveStrip() {
  const events = useMemo(() => createStripEvents({ client, live, names: tokenNames, isPaused: isStripPaused }), [])
  useEffect(() => () => events.stop(), [events])
  const strip = useRef<HTMLDivElement>(null)
  const places = useFitting(strip, EVENT_REM)
  useRovingFocus(strip)
  useHolding(strip, held => (events.isHeld.value = held))
  const isPaused = isStripPaused.value
  const label = isPaused ? 'Go on with live events' : 'Pause live events'
  const shown = eventsFor(places.value, events.shown.value)
  return (
    <section class="live-strip" aria-label="Live events">
      <button type="button" class="icon-button" title={label} aria-label={label} onClick={() => (isStripPaused.value = !isPaused)}>
        {isPaused ? <PlayIcon /> : <PauseIcon />}
      </button>
      {/* A toolbar: arrow keys move between its links. Screen readers are not told of changes, which come every two seconds. */}
      <div class="live-events" ref={strip} role="toolbar" aria-label="Launches, trades and graduations">
        {shown.length === 0 ? (
          <p class="quiet">{isPaused ? 'Paused' : 'Waiting for launches, trades and graduations'}</p>
        ) : (
          <ul data-testid="live-events">
            {shown.map(event => (
              <Item key={event.key} event={event} />
            ))}
          </ul>
        )}
      </div>
    </section>
  )
}

function Item({ event: { kind, token, time, value, key } }: { readonly event: StripEvent }) {
  const symbol = tokenNames.known.value.get(token)?.symbol ?? null
  const { text, kind: tone } = KINDS[kind]
  return (
    <li data-key={key}>
      <a href={hrefOf({ view: 'token', address: token })} title={shortHex(token)}>
        <Avatar address={token} symbol={symbol} />
        <span class="live-words">
          <span class="live-token">
            <strong>
              <Symbol address={token} symbol={symbol} />
            </strong>
            <span class="quiet">
              <Age time={time} />
            </span>
          </span>
          <span>
            <span class={`live-kind ${tone}`}>{text}</span> {value === null ? null : <Money {...value} />}
          </span>
        </span>
      </a>
    </li>
  )
}
