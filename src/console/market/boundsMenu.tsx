import { useEffect, useRef } from 'preact/hooks'
import { countBounds, type ListBounds, NO_BOUNDS, parseBound } from '#console/state/listBounds.ts'

const NUMBERS = {
  minMarketCap: 'Least market cap, Ξ',
  minLiquidity: 'Least liquidity, Ξ',
  minHolders: 'Least holders',
} as const

const AGES = { 1: '1 hour', 6: '6 hours', 24: '1 day', 168: '7 days', 720: '30 days' } as const

interface BoundsMenuProps {
  readonly bounds: ListBounds
  readonly onChange: (bounds: ListBounds) => void
}

/** The bounds of the list, behind one button. */
export function BoundsMenu({ bounds, onChange }: BoundsMenuProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => closeByLeaving(menu.current), [])
  const count = countBounds(bounds)
  return (
    <details class="bounds" ref={menu}>
      <summary class={count > 0 ? 'button on' : 'button'}>{count > 0 ? `Filters · ${count}` : 'Filters'}</summary>
      <div class="bounds-menu">
        {(Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]).map(name => (
          <label key={name}>
            {NUMBERS[name]}
            <input
              class="field"
              inputMode="decimal"
              placeholder="any"
              autocomplete="off"
              value={bounds[name] ?? ''}
              onChange={event => {
                const value = parseBound(name, event.currentTarget.value.trim())
                // Clears a text that is not a number.
                event.currentTarget.value = value === null ? '' : String(value)
                onChange({ ...bounds, [name]: value })
              }}
            />
          </label>
        ))}
        <label>
          Launched within
          <select
            class="field"
            value={bounds.maxAgeHours ?? ''}
            onChange={event => onChange({ ...bounds, maxAgeHours: parseBound('maxAgeHours', event.currentTarget.value) })}
          >
            <option value="">any time</option>
            {Object.entries(AGES).map(([hours, text]) => (
              <option key={hours} value={hours}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="button" disabled={count === 0} onClick={() => onChange(NO_BOUNDS)}>
          Clear
        </button>
      </div>
    </details>
  )
}

/** Escape, and a press or the focus elsewhere, close the menu. */
function closeByLeaving(menu: HTMLDetailsElement | null): (() => void) | undefined {
  if (menu === null) return undefined
  const left = ({ target }: Event) => {
    if (target instanceof Node && !menu.contains(target)) menu.open = false
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !menu.open) return
    menu.open = false
    menu.querySelector('summary')?.focus()
  }
  document.addEventListener('pointerdown', left)
  document.addEventListener('focusin', left)
  menu.addEventListener('keydown', pressed)
  return () => {
    document.removeEventListener('pointerdown', left)
    document.removeEventListener('focusin', left)
    menu.removeEventListener('keydown', pressed)
  }
}
