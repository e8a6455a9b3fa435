import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/**
 * Makes the links and buttons of a table's body one tab stop, as in the grid pattern of ARIA: up and down move the focus to the same
 * widget of another row, left and right within the row, Home and End to the first and last row.
 */
export function useRovingFocus(body: RefObject<HTMLElement | null>): void {
  const stop = useRef<HTMLElement | null>(null)
  // After every render, because rows come and go.
  useLayoutEffect(() => {
    const element = body.current
    if (element === null) return
    if (stop.current === null || !element.contains(stop.current) || !stop.current.checkVisibility())
      stop.current = widgetsOf(element).find(widget => widget.checkVisibility()) ?? null
    for (const widget of widgetsOf(element)) setTabIndex(widget, widget === stop.current ? 0 : -1)
  })
  useEffect(() => {
    const element = body.current
    if (element === null) return
    const focused = ({ target }: FocusEvent) => {
      const widget = widgetsOf(element).find(each => each === target)
      if (widget === undefined) return
      if (stop.current !== null) setTabIndex(stop.current, -1)
      stop.current = widget
      setTabIndex(widget, 0)
    }
    const pressed = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      const next = neighbourOf(element, event.target, event.key)
      if (next === null) return
      event.preventDefault()
      next.focus()
    }
    element.addEventListener('focusin', focused)
    element.addEventListener('keydown', pressed)
    return () => {
      element.removeEventListener('focusin', focused)
      element.removeEventListener('keydown', pressed)
    }
  }, [body])
}

const widgetsOf = (element: Element) => Array.from(element.querySelectorAll<HTMLElement>('a[href], button'))

function setTabIndex(widget: HTMLElement, index: number): void {
  if (widget.getAttribute('tabindex') !== String(index)) widget.tabIndex = index
}

/** The widget that the key leads to; `null` when there is none, or the key is for something else. */
function neighbourOf(body: HTMLElement, from: EventTarget | null, key: string): HTMLElement | null {
  const rows = Array.from(body.children, row => widgetsOf(row).filter(widget => widget.checkVisibility())).filter(row => row.length > 0)
  const y = rows.findIndex(row => row.some(widget => widget === from))
  const x = rows[y]?.findIndex(widget => widget === from) ?? -1
  if (x < 0) return null
  const inRow = (index: number) => rows[index]?.[x] ?? rows[index]?.at(-1) ?? null
  switch (key) {
    case 'ArrowDown':
      return inRow(y + 1)
    case 'ArrowUp':
      return inRow(y - 1)
    case 'ArrowRight':
      return rows[y]?.[x + 1] ?? null
    case 'ArrowLeft':
      return rows[y]?.[x - 1] ?? null
    case 'Home':
      return inRow(0)
    case 'End':
      return inRow(rows.length - 1)
    default:
      return null
  }
}
