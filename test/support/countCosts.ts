import type { Address } from '#domain/address.ts'

/** One log: a trade by an account, or a transfer between two. */
type CountedLog =
  | { readonly side: 'buy' | 'sell'; readonly maker: Address; readonly amount: bigint; readonly wei: bigint }
  | { readonly from: Address; readonly to: Address; readonly amount: bigint }

export interface CountedTransaction<Price> {
  readonly price: Price
  /** In order. */
  readonly steps: readonly CountedLog[]
}

/** Something that happened to the account: tokens that came or went, and what they cost or brought. */
type Change = { readonly kind: 'buy' | 'sell' | 'transfer'; readonly tokens: bigint; readonly worth: bigint | null }

/**
 * What an account's balance cost and its sales earned, by the words of decision 0002: from all of a token's transfers and trades, in order.
 *
 * @param ratesOf what was paid or received, in the currency that is counted; `null`: not known
 */
export function countCosts<Price>(
  transactions: readonly CountedTransaction<Price>[],
  account: Address,
  ratesOf: (wei: bigint, price: Price) => bigint | null,
): readonly [cost: bigint | null, realized: bigint | null] {
  let [held, cost, realized]: [bigint, bigint | null, bigint | null] = [0n, 0n, 0n]
  for (const { kind, tokens, worth } of transactions.flatMap(one => changesOf(one, account, ratesOf))) {
    // Of what comes nothing leaves, nor of nothing.
    const leaves: bigint | null = tokens >= 0n ? 0n : cost === null || -tokens > held ? null : (cost * -tokens) / held
    if (kind === 'buy') cost = cost === null || worth === null ? null : cost + worth
    else if (tokens > 0n) cost = null
    else cost = cost === null || leaves === null ? null : cost - leaves
    if (kind === 'sell') realized = realized === null || worth === null || leaves === null ? null : realized + worth - leaves
    held += tokens
    if (held === 0n) cost = 0n
  }
  return [cost, realized]
}

/** What came besides the account's trades of the transaction, then those, then what went besides them. */
function changesOf<Price>(
  { price, steps }: CountedTransaction<Price>,
  account: Address,
  ratesOf: (wei: bigint, price: Price) => bigint | null,
): readonly Change[] {
  const trades = steps.flatMap((step): Change[] => {
    if (!('maker' in step) || step.maker !== account) return []
    return [{ kind: step.side, tokens: step.side === 'buy' ? step.amount : -step.amount, worth: ratesOf(step.wei, price) }]
  })
  const others = balanceIn([{ steps }], account) - trades.reduce((sum, { tokens }) => sum + tokens, 0n)
  const transfer: Change = { kind: 'transfer', tokens: others, worth: null }
  return others > 0n ? [transfer, ...trades] : others < 0n ? [...trades, transfer] : trades
}

/** The sum of the transfers. */
export function balanceIn(transactions: readonly Pick<CountedTransaction<unknown>, 'steps'>[], account: Address): bigint {
  let balance = 0n
  for (const step of transactions.flatMap(({ steps }) => steps)) {
    if ('to' in step && step.to === account) balance += step.amount
    if ('from' in step && step.from === account) balance -= step.amount
  }
  return balance
}
