import type { Row } from '#console/state/rows.ts'

/** A row that has left the screen is let go after a moment, so that scrolling past does not unsubscribe and subscribe again. */
const LINGER_MS = 1_500

/** Keeps rows live while they are on the screen. */
export interface OnScreen {
  /** Follows the element of a row. Returns how to stop that. */
  follow(element: Element, row: Row): () => void
  stop(): void
}

/** @param watch - begins to keep a row live, and returns how to end that */
export function createOnScreen(watch: (row: Row) => () => void): OnScreen {
  const rows = new Map<Element, Row>()
  const live = new Map<Element, () => void>()
  const leaving = new Map<Element, number>()

  const observer = new IntersectionObserver(
    entries => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) enter(target)
        else if (live.has(target) && !leaving.has(target))
          leaving.set(
            target,
            window.setTimeout(() => leave(target), LINGER_MS),
          )
      }
    },
    { rootMargin: '100px 0px' },
  )

  function enter(element: Element): void {
    clearTimeout(leaving.get(element))
    leaving.delete(element)
    const row = rows.get(element)
    if (row !== undefined && !live.has(element)) live.set(element, watch(row))
  }

  function leave(element: Element): void {
    clearTimeout(leaving.get(element))
    leaving.delete(element)
    live.get(element)?.()
    live.delete(element)
  }

  return {
    follow(element, row) {
      rows.set(element, row)
      observer.observe(element)
      return () => {
        observer.unobserve(element)
        rows.delete(element)
        leave(element)
      }
    },
    stop() {
      observer.disconnect()
      for (const element of Array.from(live.keys())) leave(element)
    },
  }
}
