import { formatClock, formatDuration } from '#console/format/time.ts'
import { secondClock } from '#console/state/clock.ts'
import { client, connection, health } from '#console/state/session.ts'

/** Explains why the page may show outdated values. */
export function Banner() {
  const { value, failure, atMs } = health.state.value
  if (failure?.code === 'rate_limited') return <Limited againAtMs={failure.againAtMs} />
  if (failure !== null) {
    return (
      <div class="banner bad" role="alert">
        <span>
          <strong>The service does not answer.</strong>{' '}
          {atMs === null ? 'Trying again.' : `What is shown is as of ${formatClock(atMs)}; trying again.`}
        </span>
        <button type="button" class="button" onClick={retry}>
          Try now
        </button>
      </div>
    )
  }
  if (connection.value === 'offline') {
    return (
      <div class="banner" role="alert">
        <span>
          <strong>No updates come in.</strong> Lists are still asked for now and then.
        </span>
        <button type="button" class="button" onClick={retry}>
          Connect
        </button>
      </div>
    )
  }
  if (value === null || value.status === 'ok') return null
  const backfill = value.backfill === null ? '' : ` ${value.backfill.percent.toFixed(1)}% of the history is indexed.`
  return (
    <div class={value.status === 'stalled' ? 'banner bad' : 'banner'} role="status">
      <span>
        <strong>{SAYS[value.status]}</strong>
        {backfill} {value.reasons.join('; ')}
      </span>
    </div>
  )
}

/** Only requests are limited: an open connection still brings updates. */
function Limited({ againAtMs }: { readonly againAtMs: number }) {
  const waitSeconds = Math.ceil((againAtMs - secondClock.value) / 1_000)
  const isLive = connection.value === 'live' || connection.value === 'fallback'
  return (
    <div class="banner" role="status">
      <span>
        <strong>The service limits the requests of this address.</strong>{' '}
        {isLive ? 'Live updates still come in; the rest is asked for again ' : 'They are sent again '}
        {/* Screen readers do not announce the changes of a timer. */}
        <span role="timer">{waitSeconds > 0 ? `in ${formatDuration(waitSeconds)}` : 'now'}</span>.
      </span>
    </div>
  )
}

const SAYS = {
  syncing: 'The index is catching up with the chain.',
  degraded: 'The service works with something broken.',
  stalled: 'Nothing is being indexed.',
} as const

function retry(): void {
  client.reconnect()
  health.refresh()
}
