import type { Address } from '#domain/address.ts'
import { openDraft } from '#index/project/draft.ts'
import { type Valuation, worthOf } from '#index/project/values.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { loadWorths } from '#store/rows/loadRows.ts'
import { readCurrenciesInTurn, readOutdatedTokens } from '#store/rows/revaluation.ts'

/** What a block values anew, besides the tokens of its events. */
export interface Revaluation {
  readonly tokens: readonly Address[]
  /** The currency with which the next block's turn begins is the one after it; `null`: there is none. */
  readonly reached: Address | null
}

export const NO_REVALUATION: Revaluation = { tokens: [], reached: null }

/** How many currencies a block looks at. Each has up to three pools to read. */
const MAX_CURRENCIES = 20

/**
 * Takes the next quote currencies in turn, and of their tokens those that were valued by another worth of it than the present one, before
 * the block. A currency that uses up what a block may value is not looked at again before all others were.
 *
 * @param maxTokens 0: nothing is valued anew
 */
export async function nextRevaluation(db: Queryable, valuation: Valuation, maxTokens: number): Promise<Revaluation> {
  if (maxTokens === 0) return NO_REVALUATION
  const currencies = await readCurrenciesInTurn(db, MAX_CURRENCIES)
  if (currencies.length === 0) return NO_REVALUATION
  const draft = openDraft(await loadWorths(db, currencies, valuation.weth))
  const worths = currencies.map(currency => {
    const { weth, usd } = worthOf(draft, currency, valuation)
    return { currency, worth: weth ?? usd }
  })
  const outdated = await readOutdatedTokens(db, worths, maxTokens)
  const reached = (outdated.length < maxTokens ? currencies.at(-1) : outdated.at(-1)?.currency) ?? null
  return { tokens: outdated.map(({ token }) => token), reached }
}
