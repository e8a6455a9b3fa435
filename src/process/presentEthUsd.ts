import type { Logger } from 'pino'
import { coalesce } from '#async/coalesce.ts'
import { repeat } from '#async/repeat.ts'
import type { LaunchpadsConfig } from '#config'
import { formatDecimal } from '#domain/decimal.ts'
import type { EthUsdFeed } from '#ethUsd/ethUsd.ts'
import { openDraft } from '#index/project/draft.ts'
import { ethUsdOf, valuationOf } from '#index/project/values.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { EthUsd, EthUsdPrices } from '#resources/ethUsd.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { loadRates } from '#store/rows/loadRows.ts'

/** Each change of the price makes cached answers with values in USD outdated. */
const READ_EVERY_MS = 10_000

export interface PresentEthUsdOptions {
  /** What price providers say. */
  readonly provided: Pick<EthUsdFeed, 'get' | 'ethUsd' | 'last'>
  readonly db: Queryable
  /** The launchpads that the index has at present. */
  readonly launchpads: () => LaunchpadsConfig
  readonly onChanged: () => void
  readonly logger: Logger
  /** Default: `repeat` every ten seconds. */
  readonly schedule?: (read: () => void) => () => void
}

/**
 * The price of ETH that values the present. It is that of the pools of pegged currencies as of the newest indexed block, so that present
 * values fit those of the past; without such a pool, what price providers say.
 */
export function createPresentEthUsd(options: PresentEthUsdOptions): EthUsdPrices & { stop(): Promise<void> } {
  const { provided, db, launchpads, onChanged, logger, schedule = read => repeat(READ_EVERY_MS, read) } = options
  let pooled: string | null = null
  let pooledAtMs = 0
  const reading = coalesce<null>(
    async () => {
      const newer = await readPooledEthUsd(db, launchpads())
      pooledAtMs = Date.now()
      if (newer === pooled) return
      pooled = newer
      onChanged()
    },
    // The reads of every request fail then, too, and say so.
    error => logger.debug({ err: error }, 'the price of ETH by pools could not be read'),
  )
  const pooledPrice = (): EthUsd | null => {
    if (pooled === null) return null
    const ageSeconds = Math.max(0, (Date.now() - pooledAtMs) / 1_000)
    return { price: pooled, currency: 'USD', source: 'pool', fetchedAt: new Date(pooledAtMs).toISOString(), ageSeconds, stale: false }
  }
  const read = () => reading.request(null)
  const cancel = schedule(read)
  read()
  return {
    async get() {
      try {
        const given = await provided.get()
        return (given.stale ? pooledPrice() : null) ?? given
      } catch (error) {
        const price = pooledPrice()
        if (price === null) throw error
        return price
      }
    },
    last: provided.last,
    ethUsd: () => pooled ?? provided.ethUsd(),
    pooled: () => pooled,
    stop: () => {
      cancel()
      reading.stop()
      return reading.settled()
    },
  }
}

async function readPooledEthUsd(db: Queryable, launchpads: LaunchpadsConfig): Promise<string | null> {
  const valuation = valuationOf(launchpads, createAdapters(launchpads))
  if (valuation.dollars.length === 0) return null
  const draft = openDraft(await loadRates(db, valuation.dollars, valuation.weth))
  const price = ethUsdOf(draft, { ...valuation, providedEthUsd: null })
  return price === null ? null : formatDecimal(price)
}
