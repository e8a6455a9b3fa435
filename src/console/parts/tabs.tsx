import { useId } from 'preact/hooks'

interface TabsProps<T extends string> {
  readonly label: string
  readonly tabs: Readonly<Record<T, string>>
  readonly value: T
  readonly onChange: (value: T) => void
}

/** Tabs that choose what the panel below shows. The panel has the id that `useTabIds` gives it. Arrow keys choose. */
export function Tabs<T extends string>({ label, tabs, value, onChange, ids }: TabsProps<T> & { readonly ids: TabIds }) {
  const names = Object.keys(tabs) as T[]
  const pressed = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const next = names[(names.indexOf(value) + step + names.length) % names.length] as T
    onChange(next)
    document.getElementById(ids.tab(next))?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={pressed}>
      {names.map(name => (
        <button
          key={name}
          type="button"
          role="tab"
          id={ids.tab(name)}
          aria-controls={ids.panel}
          aria-selected={name === value}
          tabIndex={name === value ? 0 : -1}
          onClick={() => onChange(name)}
        >
          {tabs[name]}
        </button>
      ))}
    </div>
  )
}

export interface TabIds {
  readonly panel: string
  tab(name: string): string
}

/** The ids of tabs and of their panel, which is labelled by the chosen tab. */
export function useTabIds(): TabIds {
  const id = useId()
  return { panel: `${id}-panel`, tab: name => `${id}-${name}` }
}
