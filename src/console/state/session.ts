import { computed, effect, signal, untracked } from '@preact/signals'
import { createTokenwire } from '#client/createTokenwire.ts'
import type { ConnectionState } from '#client/tokenwire.ts'
import { createFrames } from './frames.ts'
import { poll } from './polling.ts'
import { type Currency, chosenCurrency } from './preferences.ts'

/** What the service tells the page of its configuration. */
interface Settings {
  readonly explorerUrl: string | null
  readonly launchpads: readonly string[]
}

/** The folder that the page lies in: wherever that is, the API lies beside it. */
const BASE = new URL('.', document.baseURI).href.replace(/\/$/, '')

/** A price of ETH is not shown for longer than the service itself would give it. */
const KEEP_PRICE_MS = 600_000

export const client = createTokenwire({ url: BASE, keepConnected: true })
export const frames = createFrames()

export const connection = signal<ConnectionState>(client.state)
client.onState(state => {
  connection.value = state
})

export const settings = signal<Settings>({ explorerUrl: null, launchpads: [] })

export const health = poll({ everyMs: 5_000, ask: signal => client.health({ signal, retries: 0 }) })
export const chainStats = poll({ everyMs: 10_000, ask: signal => client.chainStats({ signal, retries: 0 }) })
export const ethUsd = poll({ everyMs: 20_000, keepMs: KEEP_PRICE_MS, ask: signal => client.ethUsd({ signal, retries: 0 }) })

/** What values are shown in: dollars also while nobody has answered whether they can be. */
export const currency = computed<Currency>(() => {
  const { value, failure } = ethUsd.state.value
  return chosenCurrency.value ?? (value === null && failure !== null ? 'weth' : 'usd')
})

/** Counts returns to a working connection: lists are asked for anew then, since nobody said what changed meanwhile. */
export const returns = signal(0)

/** To be called once. */
export function startSession(): void {
  let wasLost = false
  let hasWorked = false
  effect(() => {
    const isWorking = connection.value === 'live' || connection.value === 'fallback'
    untracked(() => {
      if (isWorking && wasLost) {
        returns.value++
        for (const asked of [health, chainStats, ethUsd]) asked.refresh()
      }
      hasWorked ||= isWorking
      if (hasWorked && !isWorking && !wasLost) health.refresh()
      wasLost = hasWorked && !isWorking
    })
  })
  let wasAnswering = true
  effect(() => {
    const isAnswering = health.state.value.failure === null
    // A service that answers again need not be waited for until the pause between attempts is over.
    if (isAnswering && !wasAnswering) untracked(() => client.reconnect())
    wasAnswering = isAnswering
  })
  void readSettings()
}

async function readSettings(): Promise<void> {
  try {
    const response = await fetch(`${BASE}/console.json`)
    if (!response.ok) return
    const { explorerUrl, launchpads } = (await response.json()) as Partial<Settings>
    settings.value = {
      explorerUrl: typeof explorerUrl === 'string' && /^https?:\/\//.test(explorerUrl) ? explorerUrl : null,
      launchpads: Array.isArray(launchpads) ? launchpads.filter(name => typeof name === 'string') : [],
    }
  } catch {
    // Without settings there are no links to an explorer; everything else works.
  }
}

/** The process's own metrics, which are no JSON and therefore no part of the SDK; `null`: it does not give them. */
export async function askMetrics(operatorToken: string | null, signal: AbortSignal): Promise<string | null> {
  try {
    const headers = operatorToken === null ? {} : { authorization: `Bearer ${operatorToken}` }
    const response = await fetch(`${BASE}/metrics`, { headers, signal })
    return response.ok ? await response.text() : null
  } catch {
    return null
  }
}
