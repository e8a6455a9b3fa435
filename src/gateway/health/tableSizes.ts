import { setTimeout as pause } from 'node:timers/promises'
import type { MetricsReading } from '#telemetry/metricRows.ts'

type TableSizes = MetricsReading['tables']

/** How old the sizes may be. Prometheus asks every gateway four times a minute. */
const LIFETIME_MS = 60_000
/** The longest time that a scrape waits for the sizes. */
const PATIENCE_MS = 1_000

/**
 * Creates a reader of the tables' sizes, which are at most a minute old. If the database takes longer than a second, it gives the last ones
 * that were read. Never rejects.
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
      // The probe of the database reports the failure. The next scrape reads the sizes again.
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
