import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** How long a touch holds an element: between two touches the finger leaves the screen, and the page goes on scrolling. */
const AFTER_TOUCH_MS = 3_000

/** Reports when a pointer or the focus enters and leaves an element: its content must not move meanwhile. */
export function useHolding(element: RefObject<HTMLElement | null>, onChange: (isHeld: boolean) => void): void {
  const latest = useRef(onChange)
  latest.current = onChange
  useEffect(() => {
    const held = element.current
    if (held === null) return
    let isPointed = false
    let isFocused = false
    let timer: number | undefined
    const tell = () => latest.current(isPointed || isFocused)
    const point = (isOver: boolean) => {
      clearTimeout(timer)
      isPointed = isOver
      tell()
    }
    const over = () => point(true)
    const out = ({ pointerType }: PointerEvent) => {
      clearTimeout(timer)
      if (pointerType === 'mouse') point(false)
      else timer = window.setTimeout(point, AFTER_TOUCH_MS, false)
    }
    const focused = ({ type }: FocusEvent) => {
      isFocused = type === 'focusin'
      tell()
    }
    held.addEventListener('pointerover', over)
    held.addEventListener('pointerleave', out)
    held.addEventListener('focusin', focused)
    held.addEventListener('focusout', focused)
    return () => {
      clearTimeout(timer)
      latest.current(false)
      held.removeEventListener('pointerover', over)
      held.removeEventListener('pointerleave', out)
      held.removeEventListener('focusin', focused)
      held.removeEventListener('focusout', focused)
    }
  }, [element])
}
