import { useEffect, useRef } from 'preact/hooks'
import { boundInWeth, boundText, countBounds, type ListBounds, NO_BOUNDS, parseBound } from '#console/state/listBounds.ts'
import { type MarketQuery, readAddress } from '#console/state/route.ts'
import { currency, ethUsd } from '#console/state/session.ts'

const VALUES = { minMarketCap: 'Least market cap', minLiquidity: 'Least liquidity', minVolume24h: 'Least volume 24h' } as const
const NUMBERS = { minHolders: 'Least holders', minGraduation: 'Least graduation, %' } as const
const AGES = { 1: '1 hour', 6: '6 hours', 24: '1 day', 168: '7 days', 720: '30 days' } as const
const LAUNCHED = { maxAgeHours: 'Launched within', minAgeHours: 'Launched before' } as const

type Narrowing = Pick<MarketQuery, 'creator' | 'bounds'>

interface BoundsMenuProps {
  readonly query: Narrowing
  readonly onChange: (part: Partial<Narrowing>) => void
}

/** Filters that are rarely used, behind one button. */
export function BoundsMenu({ query: { creator, bounds }, onChange }: BoundsMenuProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => closeByLeaving(menu.current), [])
  const count = countBounds(bounds) + (creator === null ? 0 : 1)
  const price = ethUsd.state.value.value?.price ?? null
  const isInUsd = currency.value === 'usd' && price !== null
  const perWeth = isInUsd ? Number(price) : 1
  const bound = (part: Partial<ListBounds>) => onChange({ bounds: { ...bounds, ...part } })
  return (
    <details class="bounds" ref={menu}>
      <summary class={count > 0 ? 'button on' : 'button'}>{count > 0 ? `Filters · ${count}` : 'Filters'}</summary>
      <div class="bounds-menu">
        {(Object.keys(VALUES) as (keyof typeof VALUES)[]).map(name => (
          <TextBound
            key={name}
            label={`${VALUES[name]}, ${isInUsd ? '$' : 'Ξ'}`}
            shown={boundText(bounds[name], perWeth)}
            onChange={text => bound({ [name]: boundInWeth(text, perWeth) })}
          />
        ))}
        {(Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]).map(name => (
          <TextBound
            key={name}
            label={NUMBERS[name]}
            shown={String(bounds[name] ?? '')}
            onChange={text => bound({ [name]: parseBound(name, text) })}
          />
        ))}
        {(Object.keys(LAUNCHED) as (keyof typeof LAUNCHED)[]).map(name => (
          <label key={name}>
            {LAUNCHED[name]}
            <select
              class="field"
              value={bounds[name] ?? ''}
              onChange={event => bound({ [name]: parseBound(name, event.currentTarget.value) })}
            >
              <option value="">any time</option>
              {Object.entries(AGES).map(([hours, text]) => (
                <option key={hours} value={hours}>
                  {name === 'minAgeHours' ? `${text} ago` : text}
                </option>
              ))}
            </select>
          </label>
        ))}
        <TextBound label="Creator, 0x…" shown={creator ?? ''} onChange={text => onChange({ creator: readAddress(text) })} />
        <button type="button" class="button" disabled={count === 0} onClick={() => onChange({ bounds: NO_BOUNDS, creator: null })}>
          Clear
        </button>
      </div>
    </details>
  )
}

interface TextBoundProps {
  readonly label: string
  readonly shown: string
  readonly onChange: (text: string) => void
}

function TextBound({ label, shown, onChange }: TextBoundProps) {
  return (
    <label>
      {label}
      <input
        class="field"
        placeholder="any"
        autocomplete="off"
        spellcheck={false}
        value={shown}
        onChange={event => {
          const text = event.currentTarget.value.trim()
          // Shows what was understood, also where that is what was shown before.
          event.currentTarget.value = shown
          onChange(text)
        }}
      />
    </label>
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
