import type { Row } from '#console/state/rows.ts'

/** A row stays live for a moment after it left the screen, so that scrolling back and forth does not unsubscribe and subscribe again. */
const LINGER_MS = 1_500

/** Keeps rows live while they are on the screen. */
export interface OnScreen {
  /** Observes the element of a row. Returns a function that stops it. */
  follow(element: Element, row: Row): () => void
  stop(): void
}

/** @param watch - keeps a row live until the returned function is called */
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
