import { computed, effect, signal, untracked } from '@preact/signals'
import { createTokenwire } from '#client/createTokenwire.ts'
import type { ConnectionState } from '#client/feed/connectionPool.ts'
import { createLive } from '#client/live/createLive.ts'
import { createHealthHistory } from './healthHistory.ts'
import { poll } from './polling.ts'
import { type Currency, chosenCurrency } from './preferences.ts'
import { createRenderQueue } from './renderQueue.ts'
import { createTokenNames } from './tokenNames.ts'

/** The part of the service's configuration that the page needs. */
interface Settings {
  readonly explorerUrl: string | null
  readonly launchpads: readonly string[]
  /** Whether the service has `/mcp`. */
  readonly mcp: boolean
}

/** The page's folder. The API has the same base address, whatever the path prefix is. */
export const BASE = new URL('.', document.baseURI).href.replace(/\/$/, '')

/** The service itself serves an old price of ETH for this long. */
const KEEP_PRICE_MS = 600_000

export const client = createTokenwire({ url: BASE, keepConnected: true })
export const live = createLive(client)
export const tokenNames = createTokenNames(client)
export const renderQueue = createRenderQueue()

export const connection = signal<ConnectionState>(client.state)
client.onState(state => {
  connection.value = state
})

export const settings = signal<Settings>({ explorerUrl: null, launchpads: [], mcp: false })

export const health = poll({ everyMs: 5_000, ask: signal => client.health({ signal, retries: 0 }) })
export const chainStats = poll({ everyMs: 10_000, ask: signal => client.chainStats({ signal, retries: 0 }) })
export const ethUsd = poll({ everyMs: 20_000, keepMs: KEEP_PRICE_MS, ask: signal => client.ethUsd({ signal, retries: 0 }) })

/** The currency of all values. Dollars until the first request for the price of ETH has failed. */
export const currency = computed<Currency>(() => {
  const { value, failure } = ethUsd.state.value
  return chosenCurrency.value ?? (value === null && failure !== null ? 'weth' : 'usd')
})

/** What the page has seen of the service's health, on whatever view. */
export const healthHistory = createHealthHistory()

/** Number of returns to a working connection. Lists load again then, because changes may have been missed. */
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
    const { failure, value, atMs } = health.state.value
    if (failure === null && value !== null && atMs !== null) untracked(() => healthHistory.add(value, atMs))
    const isAnswering = failure === null || failure.code === 'rate_limited'
    // The service answers again, so the client need not wait for the end of its pause.
    if (isAnswering && !wasAnswering) untracked(() => client.reconnect())
    wasAnswering = isAnswering
  })
  void readSettings()
}

async function readSettings(): Promise<void> {
  try {
    const response = await fetch(`${BASE}/console.json`)
    if (!response.ok) return
    const { explorerUrl, launchpads, mcp } = (await response.json()) as Partial<Settings>
    settings.value = {
      explorerUrl: typeof explorerUrl === 'string' && /^https?:\/\//.test(explorerUrl) ? explorerUrl : null,
      launchpads: Array.isArray(launchpads) ? launchpads.filter(name => typeof name === 'string') : [],
      mcp: mcp === true,
    }
  } catch {
    // Without settings the page has no links to an explorer. Everything else works.
  }
}

/** The process's metrics as text, which the client has no call for; `null` when the service does not answer. */
export async function askMetrics(operatorToken: string | null, signal: AbortSignal): Promise<string | null> {
  try {
    const headers = operatorToken === null ? {} : { authorization: `Bearer ${operatorToken}` }
    const response = await fetch(`${BASE}/metrics`, { headers, signal })
    return response.ok ? await response.text() : null
  } catch {
    return null
  }
}
