import type { AbiEvent } from 'viem'
import { toEventSelector } from 'viem/utils'
import { type Hex, isEther, toAddress } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { EntryProblem, LaunchpadAdapter, LaunchpadContract } from '#launchpads/adapter.ts'
import { callProblems } from './calls.ts'
import { compileClaimCall } from './claimCall.ts'
import type { MappedEvent, MappingContext } from './context.ts'
import {
  type Compiled,
  curvePlaceOf,
  entriesOf,
  fixedDecimals,
  identifiesToken,
  isTrade,
  type MappedEntry,
  type MappingInput,
  tellsPrice,
} from './entries.ts'
import { feeEvent } from './fees.ts'
import { type Emitter, type Field, KINDS } from './kinds.ts'
import { launchEvent } from './launch.ts'
import { parametersOf, shapeOf } from './parameters.ts'
import { completeEvent, poolEvent } from './pools.ts'
import { createReaders, fieldProblems } from './readers.ts'
import { ruleProblems } from './rules.ts'
import type { CallMapping } from './schema.ts'
import { parseEventSignature } from './signature.ts'
import { stateEvent } from './state.ts'
import { tradeEvent } from './trade.ts'

export interface CompiledEvent extends MappedEvent {
  readonly emitter: Emitter
}

export interface CompiledMapping {
  readonly byTopic: ReadonlyMap<Hex, readonly CompiledEvent[]>
  /** The contracts of the entry that emit events. */
  readonly contracts: readonly LaunchpadContract[]
  readonly claimCall: LaunchpadAdapter['claimCall']
}

interface ParsedEntry extends MappedEntry {
  readonly abi: AbiEvent
  readonly topic: Hex
}

/** Compiles the events of an entry, whose shape the schema has validated, or finds everything that is wrong with them. */
export function compileMapping(input: MappingInput): Compiled<CompiledMapping> {
  const entries = entriesOf(input.events)
  const problems: EntryProblem[] = []
  const parsed: ParsedEntry[] = []
  for (const entry of entries) {
    const signature = parseEventSignature(entry.mapping.event)
    if (signature.kind === 'invalid') {
      problems.push({ path: [...entry.path, 'event'], message: signature.problem })
      continue
    }
    parsed.push({ ...entry, abi: signature.value, topic: toEventSelector(signature.value) })
    const ofCall = (call: CallMapping, field: Field) => callProblems(call, field, input.contracts)
    const found = fieldProblems(entry.mapping, KINDS[entry.kind].fields, parametersOf(signature.value), ofCall)
    problems.push(...found.map(({ path, message }) => ({ path: [...entry.path, ...path], message })))
  }
  problems.push(...ruleProblems(entries, input), ...ambiguities(parsed))
  const claimCall = compileClaimCall(input)
  if (claimCall.kind === 'invalid') problems.push(...claimCall.problems)
  if (problems.length > 0 || claimCall.kind === 'invalid') return { kind: 'invalid', problems }

  const context = contextOf(entries, input)
  const compiled = parsed.map(entry => ({ topic: entry.topic, ...compileEntry(entry, context, input) }))
  const byTopic = Map.groupBy(compiled, ({ topic }) => topic)
  return { kind: 'valid', value: { byTopic, contracts: contractsOfMapping(entries, context, input), claimCall: claimCall.value } }
}

/** Finds two mappings of the same log, which would count twice or be a buy and a sell at once. */
function ambiguities(entries: readonly ParsedEntry[]): readonly EntryProblem[] {
  const isTokenCurve = curvePlaceOf(entries) === 'token'
  const emitterOf = ({ mapping: { emitter } }: ParsedEntry) => (isTokenCurve && emitter === 'curve' ? 'token' : emitter)
  return entries.flatMap((entry, index) => {
    const competing = entries
      .slice(0, index)
      .find(
        other =>
          other.topic === entry.topic &&
          emitterOf(other) === emitterOf(entry) &&
          (other.kind === entry.kind || (isTrade(other.kind) && isTrade(entry.kind))),
      )
    if (competing === undefined) return []
    const place = competing.path.map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
    return [
      { path: [...entry.path, 'event'], message: `the same event of the same emitter as events${place}: a log of it could be either` },
    ]
  })
}

/** Words for a currency of fees that is ETH. */
const ETHER_WORDS: readonly unknown[] = ['native', 'weth']

function contextOf(
  entries: readonly MappedEntry[],
  { launchpad, weth, events, contracts, moreFactories = [] }: MappingInput,
): MappingContext {
  const isIdentified = (entry: MappedEntry) => identifiesToken(entry, contracts)
  const accruals = entries.filter(({ kind }) => kind === 'feeAccrued')
  const claims = entries.filter(({ kind }) => kind === 'feeClaimed')
  const hasFees = accruals.length + claims.length > 0
  const quoteToken = events.quoteToken === undefined ? weth : toAddress(events.quoteToken)
  return {
    launchpad,
    weth,
    quoteToken: isEther(quoteToken, weth) ? weth : quoteToken,
    quotePerLaunch: entries.some(({ kind, mapping }) => kind === 'launch' && mapping['quoteToken'] !== undefined),
    curvePlace: curvePlaceOf(entries),
    contracts,
    moreFactories,
    decimals: fixedDecimals(entries),
    isGraduating: entries.some(({ kind }) => kind === 'complete' || kind === 'graduate'),
    feeScope: !hasFees ? null : claims.every(isIdentified) ? 'token' : 'creator',
    feesNameToken: hasFees && accruals.every(isIdentified),
    feesInEther: hasFees && accruals.every(({ mapping }) => ETHER_WORDS.includes(mapping['currency'])),
    pricedByState: entries.some(({ kind, mapping }) => kind === 'state' && tellsPrice(mapping)),
  }
}

function contractsOfMapping(
  entries: readonly MappedEntry[],
  { curvePlace }: MappingContext,
  { contracts, moreFactories = [] }: MappingInput,
): readonly LaunchpadContract[] {
  const emitters = new Set<string>(entries.map(({ mapping }) => mapping.emitter))
  const sharedCurve = curvePlace === 'shared' ? entries.find(({ kind }) => isTrade(kind))?.mapping.emitter : undefined
  return [...Object.entries(contracts), ...moreFactories.map(address => ['factory', address] as const)]
    .filter(([name]) => emitters.has(name))
    .map(([name, address]) => ({ address, role: name === sharedCurve ? 'sharedCurve' : 'contract' }))
}

function compileEntry(entry: ParsedEntry, context: MappingContext, { contracts }: MappingInput): CompiledEvent {
  const { kind, mapping, abi } = entry
  const readers = createReaders(mapping, KINDS[kind].fields, parametersOf(abi))
  const compile = (): MappedEvent => {
    switch (kind) {
      case 'launch':
        return launchEvent(readers, context)
      case 'buy':
      case 'sell':
        return tradeEvent(readers, context, kind)
      case 'trade':
        return tradeEvent(readers, context, null)
      case 'state':
        return stateEvent(readers, context)
      case 'complete':
        return completeEvent(readers)
      case 'graduate':
      case 'pool':
        return poolEvent(readers, context, kind === 'graduate')
      case 'feeAccrued':
      case 'feeClaimed':
        return feeEvent(readers, context, kind === 'feeClaimed', identifiesToken(entry, contracts))
    }
  }
  return { emitter: mapping.emitter, ...withShape(compile(), shapeOf(abi)) }
}

/** The event with a check of each log: another event's logs may have the same first topic, and other indexed parameters. */
function withShape({ decode, discover, discoverFromUnknown, ...event }: MappedEvent, checkShape: (log: ChainLog) => void): MappedEvent {
  const checked = <T extends { readonly log: ChainLog }, R>(read: (mapped: T) => R) => {
    return (mapped: T): R => {
      checkShape(mapped.log)
      return read(mapped)
    }
  }
  return {
    ...event,
    decode: checked(decode),
    ...(discover !== undefined && { discover: checked(discover) }),
    ...(discoverFromUnknown !== undefined && { discoverFromUnknown: checked(discoverFromUnknown) }),
  }
}
