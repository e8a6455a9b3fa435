import { useLayoutEffect, useRef } from 'preact/hooks'

interface MeterProps {
  readonly percent: number
  readonly done?: boolean
}

/** A progress bar beside the number that it shows. */
export function Meter({ percent, done = false }: MeterProps) {
  const part = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => part.current?.style.setProperty('--part', String(percent)), [percent])
  return (
    <span class={done ? 'meter done' : 'meter'} aria-hidden="true">
      <span ref={part} />
    </span>
  )
}
