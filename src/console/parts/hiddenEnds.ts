import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/** The ends of a line that are scrolled out of sight. */
export type HiddenEnds = 'none' | 'start' | 'end' | 'both'

/** Follows which ends of a horizontally scrollable element are out of sight. The element has one child, its content. */
export function useHiddenEnds(element: RefObject<HTMLElement | null>): ReadonlySignal<HiddenEnds> {
  const ends = useSignal<HiddenEnds>('none')
  useEffect(() => {
    const scroller = element.current
    if (scroller === null) return
    const look = () => {
      const { scrollLeft, scrollWidth, clientWidth } = scroller
      // Scroll positions are fractions on some screens.
      const [isStart, isEnd] = [scrollLeft > 1, scrollLeft + clientWidth < scrollWidth - 1]
      ends.value = isStart ? (isEnd ? 'both' : 'start') : isEnd ? 'end' : 'none'
    }
    const sizes = new ResizeObserver(look)
    for (const sized of [scroller, scroller.firstElementChild]) if (sized !== null) sizes.observe(sized)
    scroller.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      scroller.removeEventListener('scroll', look)
    }
  }, [element])
  return ends
}
