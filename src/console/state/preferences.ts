import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'
export type Currency = 'usd' | 'weth'

/** Stored in this browser where storage is allowed. Never holds secrets. */
const KEYS = { theme: 'tokenwire.theme', currency: 'tokenwire.currency', strip: 'tokenwire.strip' } as const

export const theme = signal<Theme>(read(KEYS.theme, ['light', 'dark']) ?? 'system')
/** `null` until the user chooses: dollars while a price of ETH is known, else ETH. */
export const chosenCurrency = signal<Currency | null>(read(KEYS.currency, ['usd', 'weth']))
/** Whether the live strip of the market is paused. */
export const isStripPaused = signal(read(KEYS.strip, ['paused']) !== null)

/** Applies and stores the preferences. To be called once. */
export function applyPreferences(): void {
  effect(() => {
    const chosen = theme.value
    if (chosen === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = chosen
    write(KEYS.theme, chosen === 'system' ? null : chosen)
  })
  effect(() => write(KEYS.currency, chosenCurrency.value))
  effect(() => write(KEYS.strip, isStripPaused.value ? 'paused' : null))
}

function read<T extends string>(key: string, values: readonly T[]): T | null {
  try {
    const text = localStorage.getItem(key)
    return values.find(value => value === text) ?? null
  } catch {
    return null // storage is forbidden
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // storage is forbidden: the choice lasts as long as the page
  }
}
