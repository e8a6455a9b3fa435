import type { EthUsdSource } from '#domain/ethUsd.ts'

/** How one provider is asked and how its answer is read. */
export interface PriceProvider {
  readonly source: EthUsdSource
  readonly url: string
  /** May hold an API key. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The text of the price in an answer whose JSON numbers are given as the text that they were written as.
   *
   * @returns `null` when the answer has another shape
   */
  readPrice(answer: unknown): string | null
}

/** The value at a path of keys of plain objects. */
export function valueAt(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (part, key) => (typeof part === 'object' && part !== null && Object.hasOwn(part, key) ? Reflect.get(part, key) : undefined),
    value,
  )
}
