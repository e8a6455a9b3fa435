import type { SeriesMarkerBar, UTCTimestamp } from 'lightweight-charts'
import type { ChartMark } from '#console/state/chartMarks.ts'
import type { Bar } from './bar.ts'

export interface MarkerColours {
  readonly up: string
  readonly down: string
  readonly accent: string
}

interface MarkersInput {
  readonly palette: MarkerColours
  /** A bar's time on the axis. */
  timeOf(bar: Bar): UTCTimestamp
}

type Marker = SeriesMarkerBar<UTCTimestamp>

/**
 * A marker on the newest bar that begins no later than a mark; marks of one kind on one bar share it. Marks older than all bars are left
 * out. Texts are short, because one at the edge of the chart is cut.
 */
export function markersOf(marks: readonly ChartMark[], bars: readonly Bar[], { palette, timeOf }: MarkersInput): Marker[] {
  const markers = new Map<string, Marker>()
  const counts = new Map<string, number>()
  for (const mark of marks) {
    const bar = bars.findLast(each => each.time <= mark.time)
    if (bar === undefined) continue
    const place = `${bar.time} ${mark.kind}`
    const count = (counts.get(place) ?? 0) + 1
    counts.set(place, count)
    const shape = shapeOf(mark, palette)
    markers.set(place, { time: timeOf(bar), ...shape, text: count === 1 ? shape.text : `${shape.text}${count}` })
  }
  return [...markers.values()]
}

function shapeOf({ kind }: ChartMark, { up, down, accent }: MarkerColours): Omit<Marker, 'time'> & { readonly text: string } {
  switch (kind) {
    case 'launch':
      return { position: 'belowBar', shape: 'square', color: accent, text: 'L' }
    case 'graduation':
      return { position: 'belowBar', shape: 'square', color: accent, text: 'G' }
    case 'creatorBuy':
      return { position: 'belowBar', shape: 'arrowUp', color: up, text: 'B' }
    case 'creatorSell':
      return { position: 'aboveBar', shape: 'arrowDown', color: down, text: 'S' }
  }
}
