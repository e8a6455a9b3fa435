import { formatMoment, formatStamp } from '#console/format/time.ts'
import { minuteClock } from '#console/state/clock.ts'

/** A time of day, with the date when it was not today. */
export function Stamp({ time }: { readonly time: string }) {
  return (
    <time dateTime={time} title={formatMoment(time)}>
      {formatStamp(time, minuteClock.value)}
    </time>
  )
}
