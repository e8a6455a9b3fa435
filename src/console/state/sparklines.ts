import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { PriceLine } from '#client/generated/types.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { Address } from '#domain/address.ts'

/** Lines of one request. */
const BATCH = 100
/** Age from which a line is loaded again while its row is on the screen. */
const FRESH_MS = 300_000
/** Rows that come onto the screen within this time are asked for together. */
const GATHER_MS = 150
/** Shortest time between two requests. */
const PAUSE_MS = 2_000
/** Lines kept; the oldest are dropped. */
const MAX_LINES = 500

/** Prices of the last day for the rows on the screen, many rows in one request. */
export interface Sparklines {
  /** `null`: not loaded, or never traded. */
  of(address: Address): ReadonlySignal<PriceLine | null>
  /** Loads the line of a row, and again when it is old, until the returned function is called. */
  want(address: Address): () => void
  stop(): void
}

interface Line {
  readonly line: Signal<PriceLine | null>
  loadedAtMs: number
}

export function createSparklines(client: Pick<Tokenwire, 'sparklines'>): Sparklines {
  const lines = new Map<Address, Line>()
  const wanted = new Set<Address>()
  const ending = new AbortController()
  let timer: number | undefined
  let isAsking = false

  function lineOf(address: Address): Line {
    const line = lines.get(address) ?? { line: signal(null), loadedAtMs: Number.NEGATIVE_INFINITY }
    lines.set(address, line)
    for (const old of lines.keys()) {
      if (lines.size <= MAX_LINES) break
      if (!wanted.has(old) && old !== address) lines.delete(old)
    }
    return line
  }

  function loadAfter(ms: number): void {
    clearTimeout(timer)
    if (!ending.signal.aborted) timer = window.setTimeout(() => void load(), ms)
  }

  async function load(): Promise<void> {
    const due = [...wanted].filter(address => Date.now() - lineOf(address).loadedAtMs >= FRESH_MS).slice(0, BATCH)
    if (due.length === 0 || document.hidden) return loadAfter(FRESH_MS / 10)
    isAsking = true
    // Lines that could not be loaded are requested again as late as loaded ones.
    for (const address of due) lineOf(address).loadedAtMs = Date.now()
    const result = await client.sparklines(due.join(), { signal: ending.signal, retries: 0 })
    isAsking = false
    if (result.ok) for (const line of result.value.data) lineOf(line.token).line.value = line.times.length === 0 ? null : line
    loadAfter(PAUSE_MS)
  }

  return {
    of: address => lineOf(address).line,
    want(address) {
      wanted.add(address)
      if (!isAsking) loadAfter(GATHER_MS)
      return () => void wanted.delete(address)
    },
    stop() {
      ending.abort()
      clearTimeout(timer)
    },
  }
}
