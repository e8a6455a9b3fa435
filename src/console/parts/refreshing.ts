import { useEffect, useMemo, useRef } from 'preact/hooks'
import { createThrottle } from '#console/state/throttle.ts'

/** Runs a task when a value has changed, at most once per interval, and not while the page is hidden. */
export function useRefreshing(value: unknown, everyMs: number, run: () => void): void {
  const task = useRef(run)
  task.current = run
  const throttle = useMemo(() => createThrottle(() => task.current(), everyMs), [everyMs])
  useEffect(() => () => throttle.stop(), [throttle])
  const seen = useRef(value)
  useEffect(() => {
    if (value !== seen.current && !document.hidden) throttle.request()
    seen.current = value
  }, [value, throttle])
}
