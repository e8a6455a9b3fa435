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

/** Each mark as a marker on the newest bar that begins no later than it. Marks older than all bars are left out. */
export function markersOf(marks: readonly ChartMark[], bars: readonly Bar[], { palette, timeOf }: MarkersInput): Marker[] {
  return marks.flatMap(mark => {
    const bar = bars.findLast(each => each.time <= mark.time)
    return bar === undefined ? [] : [{ time: timeOf(bar), ...shapeOf(mark, palette) }]
  })
}

function shapeOf({ kind }: ChartMark, { up, down, accent }: MarkerColours): Omit<Marker, 'time'> {
  switch (kind) {
    case 'launch':
      return { position: 'belowBar', shape: 'square', color: accent, text: 'Launch' }
    case 'graduation':
      return { position: 'belowBar', shape: 'square', color: accent, text: 'Graduation' }
    case 'creatorBuy':
      return { position: 'belowBar', shape: 'arrowUp', color: up, text: 'B' }
    case 'creatorSell':
      return { position: 'aboveBar', shape: 'arrowDown', color: down, text: 'S' }
  }
}
