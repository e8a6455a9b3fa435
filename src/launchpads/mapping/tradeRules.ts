import type { EntryProblem } from '#launchpads/adapter.ts'
import type { MappedEntry } from './entries.ts'

type Problems = readonly EntryProblem[]

function problem(field: string, message: string): Problems {
  return [{ path: [field], message }]
}

/** Mistakes in how the fields of a trade go together. */
export function tradeProblems(entry: MappedEntry): Problems {
  return [...feesOneWay(entry), ...(entry.kind === 'trade' ? [...sidesOneWay(entry), ...amountsOneWay(entry)] : [])]
}

function feesOneWay({ mapping }: MappedEntry): Problems {
  const [fee, amountIs] = [mapping['fee'], mapping['quoteAmountIs']]
  if (fee !== undefined && amountIs === undefined) {
    return problem('quoteAmountIs', 'missing, expected "beforeFees" or "afterFees": whether quoteAmount holds the fee')
  }
  if (fee === undefined && amountIs !== undefined) {
    return problem('fee', 'missing: quoteAmountIs says how quoteAmount and fee belong together')
  }
  return []
}

const SIDES = ['isBuy', 'isSell', 'tokenIn'] as const

function sidesOneWay({ mapping }: MappedEntry): Problems {
  const [first, second] = SIDES.filter(field => mapping[field] !== undefined)
  if (first === undefined) {
    const message =
      'missing, expected the parameter that tells a buy: a bool, or an amount that only buys have (or isSell, or tokenIn for the currency that went in)'
    return problem('isBuy', message)
  }
  if (second !== undefined) return problem(second, `expected either this or ${first}`)
  if (mapping['tokenOut'] === undefined || first === 'tokenIn') return []
  return problem('tokenIn', 'missing: tokenOut only tells the token together with tokenIn')
}

const BY_CURRENCY = ['tokenAmount', 'quoteAmount'] as const
const BY_DIRECTION = ['amountIn', 'amountOut'] as const

function amountsOneWay({ mapping }: MappedEntry): Problems {
  const given = (field: string) => mapping[field] !== undefined
  const isByDirection = BY_DIRECTION.some(given)
  const [needed, others] = isByDirection ? [BY_DIRECTION, BY_CURRENCY] : [BY_CURRENCY, BY_DIRECTION]
  return [
    ...needed
      .filter(field => !given(field))
      .flatMap(field => problem(field, `missing, expected ${needed.join(' and ')}, or ${others.join(' and ')}`)),
    ...others.filter(given).flatMap(field => problem(field, `expected either this or ${needed.join(' and ')}`)),
  ]
}
