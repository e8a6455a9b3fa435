import type { z } from 'zod'
import type { EthUsdSource } from '#domain/ethUsd.ts'

/** How one provider is called and how its answer is read. */
export interface PriceProvider {
  readonly source: EthUsdSource
  readonly url: string
  /** May hold an API key. */
  readonly headers: Readonly<Record<string, string>>
  /** Reads the price out of an answer in which every JSON number is a string with its original digits. */
  readonly price: z.ZodType<string>
}
