import { curvePlaceOf, fixedDecimals, isFixed, isTrade, knowsToken, type MappedEntry, type MappingInput } from './entries.ts'
import type { Problem } from './readers.ts'

type Rule = (entry: MappedEntry, all: readonly MappedEntry[], input: MappingInput) => readonly Problem[]

/** What is wrong with the events of a mapping beside and among each other. None of it needs their signatures. */
export function ruleProblems(entries: readonly MappedEntry[], input: MappingInput): readonly Problem[] {
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
  feesOneWay,
  sidesOneWay,
]

function missingEvents(entries: readonly MappedEntry[]): readonly Problem[] {
  const kinds = new Set(entries.map(({ kind }) => kind))
  if (kinds.has('trade')) return []
  return (['buy', 'sell'] as const).flatMap(kind =>
    kinds.has(kind)
      ? []
      : [{ path: [kind], message: 'missing, expected the event of a trade on the curve (or "trade", where one event tells of both)' }],
  )
}

function emitterExists(
  { mapping: { emitter }, path: [kind] }: MappedEntry,
  all: readonly MappedEntry[],
  { contracts }: MappingInput,
): readonly Problem[] {
  if (emitter === 'escrow' && contracts['escrow'] === undefined) {
    return [{ path: ['emitter'], message: 'expected the address of the escrow as "escrow" beside "events", or another emitter' }]
  }
  const isNamed = all.some(({ kind, mapping }) => kind === 'launch' && mapping['curve'] !== undefined)
  if (emitter === 'curve' && kind !== 'launch' && contracts['curve'] === undefined && !isNamed) {
    const message =
      'expected launch.curve to name each token\'s curve, or "curve" beside "events" to be the address of the one for all tokens'
    return [{ path: ['emitter'], message }]
  }
  return []
}

function emitterFits(
  { kind, mapping: { emitter } }: MappedEntry,
  all: readonly MappedEntry[],
  { contracts }: MappingInput,
): readonly Problem[] {
  if (kind === 'launch' && !isFixed(emitter, contracts)) {
    return [{ path: ['emitter'], message: `expected a contract that is known before the token is, got "${emitter}"` }]
  }
  const first = all.find(entry => isTrade(entry.kind))
  if (!isTrade(kind) || first === undefined || first.mapping.emitter === emitter) return []
  return [
    { path: ['emitter'], message: `expected "${first.mapping.emitter}" as in events.${first.kind}: all trades come from one contract` },
  ]
}

function tokenIsKnown(entry: MappedEntry, _: readonly MappedEntry[], { contracts }: MappingInput): readonly Problem[] {
  const { kind, mapping } = entry
  if (kind === 'launch' || kind === 'feeAccrued' || kind === 'feeClaimed' || knowsToken(entry, contracts)) return []
  return [
    { path: ['token'], message: `missing, expected the parameter with the token: the emitter "${mapping.emitter}" speaks of all tokens` },
  ]
}

function curveIsKnown({ kind, mapping }: MappedEntry, all: readonly MappedEntry[], { contracts }: MappingInput): readonly Problem[] {
  const place = curvePlaceOf(all)
  if (kind === 'launch') {
    if (mapping['curve'] !== undefined && contracts['curve'] !== undefined) {
      return [{ path: ['curve'], message: 'leave it out: "curve" beside "events" is the one for all tokens' }]
    }
    if (mapping['curve'] === undefined && all.some(other => other.kind === 'launch' && other.mapping['curve'] !== undefined)) {
      return [{ path: ['curve'], message: "missing, expected the parameter with the token's curve as in the other launch" }]
    }
    return []
  }
  if (!isTrade(kind)) return []
  const isNeeded = place === 'own' && (mapping.emitter === 'token' || isFixed(mapping.emitter, contracts))
  if (isNeeded && mapping['curve'] === undefined) {
    const message = `missing, expected the parameter with the token's curve: launch names one, and "${mapping.emitter}" tells of the trades`
    return [{ path: ['curve'], message }]
  }
  if (!isNeeded && mapping['curve'] !== undefined) return [{ path: ['curve'], message: 'leave it out: the curve is known without it' }]
  return []
}

function decimalsAreKnown({ kind, mapping }: MappedEntry, all: readonly MappedEntry[], { contracts }: MappingInput): readonly Problem[] {
  if (kind !== 'launch') return []
  const fixed = /^\d+$/.test(String(mapping['decimals']))
  if (fixed && Number(mapping['decimals']) > 255) return [{ path: ['decimals'], message: 'expected at most 255' }]
  const shared = fixedDecimals(all)
  if (fixed ? Number(mapping['decimals']) !== shared : shared !== null) {
    return [{ path: ['decimals'], message: 'expected the same as in the other launch' }]
  }
  const place = curvePlaceOf(all)
  const isSilent = ({ kind, mapping: { emitter } }: MappedEntry) =>
    (isTrade(kind) || kind === 'graduate' || kind === 'pool') && (isFixed(emitter, contracts) || (emitter === 'token' && place !== 'token'))
  const silent = fixed ? undefined : all.find(isSilent)
  if (silent === undefined) return []
  const message = `expected a number: events.${silent.kind} comes from a contract that does not tell the token's decimals, so they have to be the same for all`
  return [{ path: ['decimals'], message }]
}

function pricesOneWay({ mapping }: MappedEntry): readonly Problem[] {
  const [quote, token, price] = [mapping['virtualQuote'], mapping['virtualToken'], mapping['price']]
  if ((quote === undefined) !== (token === undefined)) {
    const missing = quote === undefined ? 'virtualQuote' : 'virtualToken'
    return [{ path: [missing], message: 'missing: the price is virtualQuote per virtualToken' }]
  }
  if (price !== undefined && quote !== undefined)
    return [{ path: ['price'], message: 'expected either this or virtualQuote and virtualToken' }]
  return []
}

function feesOneWay({ mapping }: MappedEntry): readonly Problem[] {
  const problems: Problem[] = []
  if (mapping['fee'] !== undefined && mapping['quoteAmountIs'] === undefined) {
    problems.push({ path: ['quoteAmountIs'], message: 'missing, expected "beforeFees" or "afterFees": whether quoteAmount holds the fee' })
  }
  if (mapping['fee'] === undefined && mapping['quoteAmountIs'] !== undefined) {
    problems.push({ path: ['fee'], message: 'missing: quoteAmountIs says how quoteAmount and fee belong together' })
  }
  if (mapping['creatorShareBps'] !== undefined && mapping['creatorFeeBps'] !== undefined) {
    problems.push({ path: ['creatorShareBps'], message: 'expected either this or creatorFeeBps' })
  } else if (mapping['creatorShareBps'] !== undefined && mapping['feeBps'] === undefined) {
    problems.push({ path: ['feeBps'], message: 'missing: creatorShareBps is a share of it' })
  }
  return problems
}

function sidesOneWay({ kind, mapping }: MappedEntry): readonly Problem[] {
  if (kind !== 'trade') return []
  const given = ['isBuy', 'isSell'].filter(name => mapping[name] !== undefined)
  if (given.length === 1) return []
  return given.length === 0
    ? [{ path: ['isBuy'], message: 'missing, expected the bool parameter that tells a buy (or isSell for one that tells a sell)' }]
    : [{ path: ['isSell'], message: 'expected either this or isBuy' }]
}

/** Accruals without claims would show what was claimed as claimable for ever; claims without accruals nothing at all. */
function feesBothWays(entries: readonly MappedEntry[], { contracts }: MappingInput): readonly Problem[] {
  const accrued = entries.filter(({ kind }) => kind === 'feeAccrued')
  const claimed = entries.filter(({ kind }) => kind === 'feeClaimed')
  if ((accrued.length === 0) === (claimed.length === 0)) {
    if (!claimed.every(entry => knowsToken(entry, contracts))) return []
    const message = 'missing: feeClaimed says of which token it is, so this has to say it, too'
    return accrued.filter(entry => !knowsToken(entry, contracts)).map(({ path }) => ({ path: [...path, 'token'], message }))
  }
  const missing = accrued.length === 0 ? 'feeAccrued' : 'feeClaimed'
  return [{ path: [missing], message: `missing: what is claimable follows from feeAccrued and feeClaimed, so map both or neither` }]
}

function wrongContracts(entries: readonly MappedEntry[], { contracts, events }: MappingInput): readonly Problem[] {
  const used = new Set<string>(['factory', ...entries.map(({ mapping }) => mapping.emitter), events.claimCall?.contract ?? ''])
  return Object.entries(contracts).flatMap(([name, address], index, all) => {
    const same = all.slice(0, index).find(([, other]) => other === address)
    if (same !== undefined)
      return [{ path: ['..', name], message: `the same address as ${same[0]}: leave it out and name that one as the emitter` }]
    return used.has(name) ? [] : [{ path: ['..', name], message: 'given, but no event has it as its emitter' }]
  })
}
