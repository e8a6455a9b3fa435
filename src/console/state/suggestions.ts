import { effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals'
import type { Token } from '#client/generated/types.ts'
import type { Tokenwire } from '#client/tokenwire.ts'

/** Pause in typing before the search is sent. */
const DEBOUNCE_MS = 150
const MOST = 8

/** Tokens that fit what is being typed. */
export interface Suggestions {
  readonly text: Signal<string>
  /** The matches of the last text that was answered, best first; empty for an empty text. */
  readonly tokens: ReadonlySignal<readonly Token[]>
  stop(): void
}

export function createSuggestions(client: Tokenwire): Suggestions {
  const text = signal('')
  const tokens = signal<readonly Token[]>([])
  let asking = new AbortController()
  let timer: number | undefined

  async function ask(wanted: string, signal: AbortSignal): Promise<void> {
    const result = await client.search(wanted, { limit: MOST }, { signal, retries: 0 })
    if (!signal.aborted && result.ok) tokens.value = result.value.data
  }

  const stopFollowing = effect(() => {
    const wanted = text.value.trim()
    untracked(() => {
      asking.abort()
      asking = new AbortController()
      clearTimeout(timer)
      const { signal } = asking
      if (wanted === '') tokens.value = []
      else timer = window.setTimeout(() => void ask(wanted, signal), DEBOUNCE_MS)
    })
  })

  return {
    text,
    tokens,
    stop() {
      asking.abort()
      clearTimeout(timer)
      stopFollowing()
    },
  }
}
