import { formatCompact, UNKNOWN } from '#client/decimalText.ts'
import { formatBytes, formatMs } from '#console/format/numbers.ts'
import { formatClock } from '#console/format/time.ts'
import type { HealthSample, SeriesName } from '#console/state/healthHistory.ts'
import { healthHistory } from '#console/state/session.ts'
import { seriesPath } from './seriesPath.ts'

interface Series {
  readonly title: string
  readonly lines: readonly SeriesName[]
  readonly means: string
  format(value: number | null): string
}

const perSecond = (value: number | null) => (value === null ? UNKNOWN : `${formatCompact(value)}/s`)

const SERIES: readonly Series[] = [
  {
    title: 'Lag',
    lines: ['lagSeconds'],
    means: 'Age of the newest indexed block when it was indexed',
    format: value => formatMs(value === null ? null : value * 1_000),
  },
  { title: 'Updates', lines: ['updatesPerSecond'], means: 'Updates sent to clients', format: perSecond },
  {
    title: 'Delivery p50, p99',
    lines: ['deliveryP50Ms', 'deliveryP99Ms'],
    means: 'Time from the commit to the socket, of half and of 99 % of the updates',
    format: formatMs,
  },
  {
    title: 'Events of a backfill',
    lines: ['eventsPerSecond'],
    means: 'Events indexed by the backfill, and by launchpads that are to join',
    format: perSecond,
  },
  { title: 'Provider', lines: ['providerMs'], means: 'Latency of the slowest provider that works', format: formatMs },
  { title: 'Memory', lines: ['residentBytes'], means: 'Memory of the process that answers', format: formatBytes },
]

const WIDTH = 240
const HEIGHT = 40

/** Small charts of what this page has seen in the last hour. */
export function LastHour() {
  const samples = healthHistory.samples.value
  const [first] = samples
  return (
    <section class="card" aria-labelledby="last-hour">
      <header>
        <h2 id="last-hour">Last hour</h2>
        <span class="quiet">{first === undefined ? null : `seen by this page since ${formatClock(first.atMs)}`}</span>
      </header>
      <div class="series">
        {SERIES.map(series => (
          <SmallChart key={series.title} series={series} samples={samples} />
        ))}
      </div>
    </section>
  )
}

function SmallChart({
  series: { title, lines, means, format },
  samples,
}: {
  readonly series: Series
  readonly samples: readonly HealthSample[]
}) {
  const values = samples.flatMap(sample => lines.flatMap(name => sample[name] ?? []))
  const most = values.length === 0 ? null : Math.max(...values)
  const newest = samples.at(-1)
  const box = { width: WIDTH, height: HEIGHT, fromMs: samples[0]?.atMs ?? 0, toMs: newest?.atMs ?? 0, most: most ?? 0 }
  const shown = lines.map(name => format(newest?.[name] ?? null)).join(', ')
  return (
    <figure title={means}>
      <figcaption>
        {title} <strong>{shown}</strong>
      </figcaption>
      <svg viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
        {lines.map((name, index) => (
          <path key={name} class={index === lines.length - 1 ? '' : 'lower'} d={seriesPath(samples, name, box)} />
        ))}
      </svg>
      <small class="quiet">{most === null ? 'nothing seen yet' : `max ${format(most)}`}</small>
    </figure>
  )
}
