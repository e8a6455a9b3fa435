import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/** How many items of at least `minRem` rem fit side by side into an element; at least one. */
export function useFitting(element: RefObject<HTMLElement | null>, minRem: number): ReadonlySignal<number> {
  const count = useSignal(1)
  useEffect(() => {
    if (element.current === null) return
    const sizes = new ResizeObserver(([entry]) => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      count.value = Math.max(1, Math.floor((entry?.contentRect.width ?? 0) / (minRem * rem)))
    })
    sizes.observe(element.current)
    return () => sizes.disconnect()
  }, [element, minRem])
  return count
}
