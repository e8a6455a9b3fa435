import { useEffect, useRef } from 'preact/hooks'
import { createThrottle } from '#console/state/throttle.ts'

/** Runs a task after a value has changed, at most once per interval, and not for the first value. */
export function useRefreshing(value: unknown, everyMs: number, run: () => void): void {
  const task = useRef(run)
  task.current = run
  const throttle = useRef<ReturnType<typeof createThrottle> | null>(null)
  useEffect(() => {
    // The first value is a run that has taken place.
    const own = createThrottle(() => task.current(), everyMs)
    throttle.current = own
    return () => {
      own.stop()
      throttle.current = null
    }
  }, [everyMs])
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current && !document.hidden) throttle.current?.request()
    isFirst.current = false
  }, [value])
}
