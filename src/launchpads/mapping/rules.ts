import type { EntryProblem } from '#launchpads/adapter.ts'
import {
  curvePlaceOf,
  fixedDecimals,
  identifiesToken,
  isTrade,
  launchesIntoPool,
  type MappedEntry,
  type MappingInput,
  numberGiven,
  servesAllTokens,
} from './entries.ts'
import { isCall, isMade } from './readers.ts'

type Problems = readonly EntryProblem[]

function problem(field: string, message: string): Problems {
  return [{ path: [field], message }]
}

/** Mistakes in how the fields of a trade go together. */
function tradeProblems(entry: MappedEntry): Problems {
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

type Rule = (entry: MappedEntry, all: readonly MappedEntry[], input: MappingInput) => Problems

/** Mistakes in how the fields of an event, and the events of a mapping, go together. Independent of the events' signatures. */
export function ruleProblems(entries: readonly MappedEntry[], input: MappingInput): Problems {
  const own = entries.flatMap(entry =>
    RULES.flatMap(rule => rule(entry, entries, input)).map(({ path, message }) => ({ path: [...entry.path, ...path], message })),
  )
  return [...missingEvents(entries), ...own, ...feesBothWays(entries, input), ...wrongContracts(entries, input)]
}

const RULES: readonly Rule[] = [
  emitterExists,
  emitterFits,
  tokenIsKnown,
  curveIsKnown,
  decimalsAreKnown,
  pricesOneWay,
  creatorShareOneWay,
  targetOneWay,
  tradeProblems,
  statesTell,
  currencyIsKnown,
  poolIsTold,
  poolIsKnown,
  launchHasOneMarket,
]

function missingEvents(entries: readonly MappedEntry[]): Problems {
  const kinds = new Set(entries.map(({ kind }) => kind))
  const launches = entries.filter(({ kind }) => kind === 'launch')
  if (kinds.has('trade') || (launches.length > 0 && launches.every(launchesIntoPool))) return []
  const missing = (['buy', 'sell'] as const).filter(kind => !kinds.has(kind))
  const message = 'missing, expected the event of a trade on the curve (or "trade", where one event covers both)'
  return missing.flatMap(kind => problem(kind, message))
}

function emitterExists(
  { mapping: { emitter }, path: [kind] }: MappedEntry,
  all: readonly MappedEntry[],
  { contracts }: MappingInput,
): Problems {
  if (emitter === 'escrow' && contracts['escrow'] === undefined) {
    return problem('emitter', 'expected the address of the escrow as "escrow" beside "events", or another emitter')
  }
  const isNamed = all.some(({ kind, mapping }) => kind === 'launch' && mapping['curve'] !== undefined)
  if (emitter !== 'curve' || kind === 'launch' || contracts['curve'] !== undefined || isNamed) return []
  const message =
    'expected launch.curve to name each token\'s curve, or "curve" beside "events" to be the address of the one for all tokens'
  return problem('emitter', message)
}

function emitterFits({ kind, mapping: { emitter } }: MappedEntry, all: readonly MappedEntry[], { contracts }: MappingInput): Problems {
  if (kind === 'launch' && !servesAllTokens(emitter, contracts)) {
    return problem('emitter', `expected a contract that is known before the token is, got "${emitter}"`)
  }
  const first = all.find(entry => isTrade(entry.kind))
  if (!isTrade(kind) || first === undefined || first.mapping.emitter === emitter) return []
  return problem('emitter', `expected "${first.mapping.emitter}" as in events.${first.kind}: all trades come from one contract`)
}

function tokenIsKnown(entry: MappedEntry, _: readonly MappedEntry[], { contracts }: MappingInput): Problems {
  const { kind, mapping } = entry
  if (kind === 'launch' || kind === 'feeAccrued' || kind === 'feeClaimed' || identifiesToken(entry, contracts)) return []
  return problem('token', `missing, expected the parameter with the token: the emitter "${mapping.emitter}" serves all tokens`)
}

function curveIsKnown({ kind, mapping }: MappedEntry, all: readonly MappedEntry[], { contracts }: MappingInput): Problems {
  if (kind === 'launch') {
    if (mapping['curve'] !== undefined && contracts['curve'] !== undefined) {
      return problem('curve', 'leave it out: "curve" beside "events" is the one for all tokens')
    }
    if (
      mapping['curve'] === undefined &&
      mapping['poolType'] === undefined &&
      all.some(other => other.kind === 'launch' && other.mapping['curve'] !== undefined)
    ) {
      return problem('curve', "missing, expected the parameter with the token's curve as in the other launch")
    }
    return []
  }
  if (!isTrade(kind) && kind !== 'state') return []
  const isNeeded = curvePlaceOf(all) === 'own' && (mapping.emitter === 'token' || servesAllTokens(mapping.emitter, contracts))
  if (isNeeded && mapping['curve'] === undefined) {
    const message = `missing, expected the parameter with the token's curve: launch names one, and "${mapping.emitter}" emits this event`
    return problem('curve', message)
  }
  return !isNeeded && mapping['curve'] !== undefined ? problem('curve', 'leave it out: the curve is known without it') : []
}

function decimalsAreKnown({ kind, mapping }: MappedEntry, all: readonly MappedEntry[], { contracts }: MappingInput): Problems {
  if (kind !== 'launch') return []
  const decimals = numberGiven(mapping['decimals'])
  if (decimals !== null && decimals > 255) return problem('decimals', 'expected at most 255')
  if (decimals !== fixedDecimals(all)) {
    return problem('decimals', 'expected the same as in the other launch')
  }
  const place = curvePlaceOf(all)
  const lacksDecimals = ({ kind, mapping: { emitter } }: MappedEntry) =>
    (isTrade(kind) || kind === 'state' || kind === 'graduate' || kind === 'pool') &&
    (servesAllTokens(emitter, contracts) || (emitter === 'token' && place !== 'token'))
  const lacking = decimals !== null ? undefined : all.find(lacksDecimals)
  if (lacking === undefined) return []
  const message = `expected a number: events.${lacking.kind} comes from a contract of which the token's decimals are not known, so that all tokens must have the same`
  return problem('decimals', message)
}

function pricesOneWay({ mapping }: MappedEntry): Problems {
  const [quote, token, price] = [mapping['virtualQuote'], mapping['virtualToken'], mapping['price']]
  if ((quote === undefined) !== (token === undefined)) {
    return problem(quote === undefined ? 'virtualQuote' : 'virtualToken', 'missing: the price is virtualQuote per virtualToken')
  }
  if (price === undefined || quote === undefined) return []
  return problem('price', 'expected either this or virtualQuote and virtualToken')
}

function creatorShareOneWay({ mapping }: MappedEntry): Problems {
  if (mapping['creatorShareBps'] === undefined) return []
  if (mapping['creatorFeeBps'] !== undefined) return problem('creatorShareBps', 'expected either this or creatorFeeBps')
  return mapping['feeBps'] === undefined ? problem('feeBps', 'missing: creatorShareBps is a share of it') : []
}

function targetOneWay({ mapping }: MappedEntry): Problems {
  if (mapping['targetToken'] === undefined) return []
  if (mapping['target'] !== undefined) return problem('targetToken', 'expected either this or target')
  if (mapping['virtualQuote'] !== undefined) return []
  return problem('virtualQuote', 'missing: what is raised at targetToken follows from virtualQuote and virtualToken')
}

function statesTell({ kind, mapping }: MappedEntry): Problems {
  const fields = ['virtualQuote', 'virtualToken', 'price', 'reserveQuote', 'reserveToken', 'raised']
  if (kind !== 'state' || fields.some(field => mapping[field] !== undefined)) return []
  return problem('reserveQuote', `missing, expected at least one of ${fields.join(', ')}`)
}

/** How an event tells which pool it is about. */
function poolIsTold({ kind, mapping }: MappedEntry, _: readonly MappedEntry[], { contracts }: MappingInput): Problems {
  const { pool, poolId, poolType } = mapping
  if (kind !== 'graduate' && kind !== 'pool' && kind !== 'launch') return []
  if (poolType === undefined) {
    const given = (['pool', 'poolId', 'poolFeeBps'] as const).find(field => mapping[field] !== undefined)
    return given === undefined ? [] : problem('poolType', `missing, expected the kind of the pool that ${given} is of`)
  }
  if (poolType !== 'uniswap-v4') {
    if (poolId !== undefined) return problem('poolId', 'leave it out: only pools of uniswap-v4 have an id')
    if (pool === undefined) return problem('pool', 'missing, expected the parameter with the pool, or the factory that makes it')
    if (!isMade(pool)) return []
    const { factory, codeHash, hook } = pool
    if (hook !== undefined) return problem('pool', 'expected a factory: only pools of uniswap-v4 have a hook')
    if (factory === undefined) return problem('pool', 'expected a factory')
    return codeHash === undefined && poolType === 'uniswap-v2'
      ? problem('pool', 'missing codeHash, by which a pair of uniswap-v2 is known')
      : []
  }
  if (contracts['poolManager'] === undefined) {
    return problem('poolType', 'expected the address of the PoolManager as "poolManager" beside "events"')
  }
  if ((pool === undefined) === (poolId === undefined)) {
    return problem('poolId', 'expected either this, the parameter with the id of the pool, or pool with its hook')
  }
  if (pool === undefined) return []
  if (!isMade(pool) || pool.hook === undefined || pool.factory !== undefined || pool.codeHash !== undefined) {
    return problem('pool', 'expected the hook of a pool of uniswap-v4, such as {"hook": "0x…"}')
  }
  if (numberGiven(mapping['poolFeeBps']) !== null || !/^0x0{40}$/.test(pool.hook)) return []
  return problem('poolFeeBps', 'missing: anybody may make pools of the token without a hook, so that its fee has to tell the pool')
}

/** A pool that no parameter names has to follow from its event: in a range, its logs are looked for before the token is known. */
function poolIsKnown({ kind, mapping }: MappedEntry): Problems {
  if ((kind !== 'graduate' && kind !== 'pool') || !isMade(mapping['pool'])) return []
  const { poolFeeBps: fee, poolType, pool } = mapping
  const bySpacing = pool.tickSpacing !== undefined
  const needsFee = pool.codeHash !== undefined && poolType !== 'uniswap-v2' && !bySpacing && (fee === undefined || fee === 'unknown')
  return [
    ...(bySpacing && poolType === 'uniswap-v2' ? problem('pool', 'expected no tickSpacing: pairs of uniswap-v2 have none') : []),
    ...(mapping['token'] === undefined ? problem('token', 'missing: which pool it is follows from the token') : []),
    ...(needsFee ? problem('poolFeeBps', 'missing: which pool of uniswap-v3 the factory makes follows from its fee') : []),
  ]
}

const OF_CURVES = [
  'curve',
  'target',
  'targetToken',
  'feeBps',
  'creatorShareBps',
  'virtualQuote',
  'virtualToken',
  'price',
  'reserveQuote',
  'reserveToken',
  'raised',
] as const

/** A token is launched on a curve or into a pool. */
function launchHasOneMarket(entry: MappedEntry): Problems {
  if (!launchesIntoPool(entry)) return []
  const given = OF_CURVES.filter(field => entry.mapping[field] !== undefined)
  return [
    ...given.flatMap(field => problem(field, 'leave it out: the token is launched into a pool, and has no curve')),
    ...(isCall(entry.mapping['quoteToken']) ? problem('quoteToken', 'expected a parameter or an address: the pool is known by it') : []),
  ]
}

/** A pool without a currency of its own is in that of the token's curve, which only that curve and a shared one lead to. */
function currencyIsKnown({ kind, mapping }: MappedEntry, all: readonly MappedEntry[], { contracts }: MappingInput): Problems {
  const given = all.flatMap(other => (other.kind === 'launch' ? (other.mapping['quoteToken'] ?? []) : []))
  if ((kind !== 'graduate' && kind !== 'pool') || mapping['quoteToken'] !== undefined || given.length === 0) return []
  if (isMade(mapping['pool']) && mapping['pool'].codeHash === undefined) return []
  if (isMade(mapping['pool']) || given.some(isCall)) {
    return problem('quoteToken', "missing, expected the pool's currency: launches have their own, and no event of them leads to this pool")
  }
  const place = curvePlaceOf(all)
  const isOfCurve = mapping.emitter === 'curve' || (mapping.emitter === 'token' && place === 'token')
  if (place === 'shared' || (isOfCurve && !servesAllTokens(mapping.emitter, contracts))) return []
  const message = `missing, expected the pool's currency: launches name their own, and "${mapping.emitter}" does not lead to the token's curve`
  return problem('quoteToken', message)
}

/** Accruals without claims would show claimed fees as claimable forever. Claims without accruals would show nothing. */
function feesBothWays(entries: readonly MappedEntry[], { contracts }: MappingInput): Problems {
  const accrued = entries.filter(({ kind }) => kind === 'feeAccrued')
  const claimed = entries.filter(({ kind }) => kind === 'feeClaimed')
  if ((accrued.length === 0) !== (claimed.length === 0)) {
    const missing = accrued.length === 0 ? 'feeAccrued' : 'feeClaimed'
    return problem(missing, 'missing: what is claimable follows from feeAccrued and feeClaimed, so map both or neither')
  }
  if (!claimed.every(entry => identifiesToken(entry, contracts))) return []
  const message = 'missing: feeClaimed names its token, so this has to name it, too'
  return accrued.filter(entry => !identifiesToken(entry, contracts)).map(({ path }) => ({ path: [...path, 'token'], message }))
}

function wrongContracts(entries: readonly MappedEntry[], { contracts, events }: MappingInput): Problems {
  const managed = entries.some(({ mapping }) => mapping['poolType'] === 'uniswap-v4') ? ['poolManager'] : []
  const used = new Set<string>(['factory', ...managed, ...entries.map(({ mapping }) => mapping.emitter), events.claimCall?.contract ?? ''])
  return Object.entries(contracts).flatMap(([name, address], index, all) => {
    const same = all.slice(0, index).find(([, other]) => other === address)
    const path = ['..', name]
    if (same !== undefined) return [{ path, message: `the same address as ${same[0]}: leave it out and name that one as the emitter` }]
    return used.has(name) ? [] : [{ path, message: 'given, but no event has it as its emitter' }]
  })
}
