import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { Address } from '#domain/address.ts'
import { type HourlyClose, hourlyCloses } from './hourlyCloses.ts'

/** Candles of a request: the hours of a day and the one before. */
const CANDLES = 25
/** Age from which a line is loaded again while its row is on the screen. */
const FRESH_MS = 300_000
/** Requests that may be sent at once, and one more per `REFILL_MS`: about a page of rows, then 60 a minute. */
const BURST = 30
const REFILL_MS = 1_000
/** Lines kept; the oldest are dropped. */
const MAX_LINES = 500

/** Prices of the last day for the rows on the screen: one request per row every five minutes, one at a time. */
export interface Sparklines {
  /** `null`: not loaded, or never traded. */
  of(address: Address): ReadonlySignal<readonly HourlyClose[] | null>
  /** Loads the line of a row, and again when it is old, until the returned function is called. */
  want(address: Address): () => void
  stop(): void
}

interface Line {
  readonly closes: Signal<readonly HourlyClose[] | null>
  loadedAtMs: number
}

export function createSparklines(client: Pick<Tokenwire, 'candles'>, now: () => number = Date.now): Sparklines {
  const lines = new Map<Address, Line>()
  const wanted = new Set<Address>()
  const ending = new AbortController()
  let credit = BURST
  let creditAtMs = now()
  let timer: number | undefined
  let isAsking = false

  function lineOf(address: Address): Line {
    const line = lines.get(address) ?? { closes: signal(null), loadedAtMs: Number.NEGATIVE_INFINITY }
    lines.set(address, line)
    for (const old of lines.keys()) {
      if (lines.size <= MAX_LINES) break
      if (!wanted.has(old) && old !== address) lines.delete(old)
    }
    return line
  }

  /** Takes a request from the bucket, or returns the time to wait for one. */
  function takeCredit(): number {
    const nowMs = now()
    credit = Math.min(BURST, credit + (nowMs - creditAtMs) / REFILL_MS)
    creditAtMs = nowMs
    if (credit < 1) return (1 - credit) * REFILL_MS
    credit--
    return 0
  }

  async function loadNext(): Promise<void> {
    if (isAsking || ending.signal.aborted) return
    const next = [...wanted].find(address => now() - lineOf(address).loadedAtMs >= FRESH_MS)
    clearTimeout(timer)
    const waitMs = next === undefined || document.hidden ? FRESH_MS / 10 : takeCredit()
    if (next === undefined || waitMs > 0) {
      timer = window.setTimeout(() => void loadNext(), waitMs)
      return
    }
    isAsking = true
    const line = lineOf(next)
    // A line that could not be loaded is requested again as late as a loaded line.
    line.loadedAtMs = now()
    const result = await client.candles(next, { interval: '1h', limit: CANDLES }, { signal: ending.signal, retries: 0 })
    isAsking = false
    if (result.ok) line.closes.value = hourlyCloses(result.value.data, now())
    void loadNext()
  }

  return {
    of: address => lineOf(address).closes,
    want(address) {
      wanted.add(address)
      void loadNext()
      return () => void wanted.delete(address)
    },
    stop() {
      ending.abort()
      clearTimeout(timer)
    },
  }
}
