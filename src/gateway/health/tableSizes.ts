import { setTimeout as pause } from 'node:timers/promises'
import type { MetricsReading } from '#telemetry/metricRows.ts'

type TableSizes = MetricsReading['tables']

/** How old the sizes may be: Prometheus asks four times a minute, of every gateway. */
const LIFETIME_MS = 60_000
/** No scrape waits longer for them. */
const PATIENCE_MS = 1_000

/**
 * The sizes of the tables, at most a minute old, or the last that were read while the database takes longer than a second. Never rejects.
 *
 * @param now monotonic milliseconds
 */
export function createTableSizes(read: () => Promise<TableSizes>, now: () => number): () => Promise<TableSizes> {
  let sizes: TableSizes = []
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  const renew = async (): Promise<void> => {
    try {
      sizes = await read()
      readAtMs = now()
    } catch {
      // The probe of the database says what is wrong. The next scrape reads them again.
    } finally {
      reading = null
    }
  }

  return async () => {
    if (now() - readAtMs < LIFETIME_MS) return sizes
    reading ??= renew()
    await Promise.race([reading, pause(PATIENCE_MS, undefined, { ref: false })])
    return sizes
  }
}
