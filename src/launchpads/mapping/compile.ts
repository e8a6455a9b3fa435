import type { AbiEvent } from 'viem'
import { toEventSelector } from 'viem/utils'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { ClaimCall, ClaimTarget } from '#launchpads/adapter.ts'
import { compileClaimCall } from './claimCall.ts'
import type { MappedEvent, MappingContext } from './context.ts'
import { curvePlaceOf, entriesOf, fixedDecimals, isTrade, knowsToken, type MappedEntry, type MappingInput } from './entries.ts'
import { feeEvent } from './fees.ts'
import { type Emitter, KINDS, type Kind } from './kinds.ts'
import { launchEvent } from './launch.ts'
import { parametersOf, shapeOf } from './parameters.ts'
import { completeEvent, poolEvent } from './pools.ts'
import { createReaders, fieldProblems, type Problem } from './readers.ts'
import { ruleProblems } from './rules.ts'
import { parseEventSignature } from './signature.ts'
import { tradeEvent } from './trade.ts'

/** One mapped event, ready to be read from logs. */
export interface CompiledEvent extends MappedEvent {
  readonly kind: Kind
  readonly emitter: Emitter
  /** @throws MalformedLogError when a log of the event's topic has another shape than the event */
  checkShape(log: ChainLog): void
}

export interface CompiledMapping {
  readonly byTopic: ReadonlyMap<Hex | undefined, readonly CompiledEvent[]>
  /** The contracts for all tokens that emit events. */
  readonly contracts: readonly Address[]
  /** The one of them in which all tokens trade, if there is one. */
  readonly sharedCurve: Address | null
  claimCall(target: ClaimTarget): ClaimCall | null
}

export type CompiledOrProblems =
  | { readonly ok: true; readonly value: CompiledMapping }
  | { readonly ok: false; readonly problems: readonly Problem[] }

interface ParsedEntry extends MappedEntry {
  readonly abi: AbiEvent
  readonly topic: Hex
}

/** Turns the events of an entry, whose shape is checked, into what reads logs, or says all that is wrong with them. */
export function compileMapping(input: MappingInput): CompiledOrProblems {
  const entries = entriesOf(input.events)
  const problems: Problem[] = []
  const parsed: ParsedEntry[] = []
  for (const entry of entries) {
    const signature = parseEventSignature(entry.mapping.event)
    if (!signature.ok) {
      problems.push({ path: [...entry.path, 'event'], message: signature.problem })
      continue
    }
    parsed.push({ ...entry, abi: signature.value, topic: toEventSelector(signature.value) })
    const found = fieldProblems(entry.mapping, KINDS[entry.kind].fields, parametersOf(signature.value))
    problems.push(...found.map(({ path, message }) => ({ path: [...entry.path, ...path], message })))
  }
  problems.push(...ruleProblems(entries, input), ...ambiguities(parsed))
  const claimCall = compileClaimCall(input)
  if (!claimCall.ok) problems.push(...claimCall.problems)
  if (problems.length > 0 || !claimCall.ok) return { ok: false, problems }

  const context = contextOf(entries, input)
  const byTopic = Map.groupBy(
    parsed.map(entry => ({ topic: entry.topic, ...compileEntry(entry, context, input) })),
    ({ topic }): Hex | undefined => topic,
  )
  const emitters = new Set(entries.map(({ mapping }) => mapping.emitter))
  const sharedEmitter = context.curvePlace === 'shared' ? entries.find(({ kind }) => isTrade(kind))?.mapping.emitter : undefined
  return {
    ok: true,
    value: {
      byTopic,
      contracts: Object.entries(input.contracts).flatMap(([name, address]) => (emitters.has(name as Emitter) ? [address] : [])),
      sharedCurve: sharedEmitter === undefined ? null : (input.contracts[sharedEmitter] ?? null),
      claimCall: claimCall.value,
    },
  }
}

/** Two mappings of one log: it would count twice, or be a buy and a sell at once. */
function ambiguities(entries: readonly ParsedEntry[]): readonly Problem[] {
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
    const place = competing.path
      .map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`))
      .join('')
      .slice(1)
    const message = `the same event of the same emitter as events.${place}: a log of it could be either`
    return [{ path: [...entry.path, 'event'], message }]
  })
}

function contextOf(entries: readonly MappedEntry[], { launchpad, weth, events, contracts }: MappingInput): MappingContext {
  const tellsToken = (entry: MappedEntry) => knowsToken(entry, contracts)
  const fees = entries.filter(({ kind }) => kind === 'feeAccrued' || kind === 'feeClaimed')
  const claims = fees.filter(({ kind }) => kind === 'feeClaimed')
  return {
    launchpad,
    weth,
    quoteToken: events.quoteToken === undefined ? weth : toAddress(events.quoteToken),
    curvePlace: curvePlaceOf(entries),
    contracts: Object.values(contracts),
    decimals: fixedDecimals(entries),
    isGraduating: entries.some(({ kind }) => kind === 'complete' || kind === 'graduate'),
    feeScope: fees.length === 0 ? null : claims.every(tellsToken) ? 'token' : 'creator',
    feesNameToken: fees.length > 0 && fees.filter(({ kind }) => kind === 'feeAccrued').every(tellsToken),
  }
}

function compileEntry(entry: ParsedEntry, context: MappingContext, { contracts }: MappingInput): CompiledEvent {
  const { kind, mapping, abi } = entry
  const readers = createReaders(mapping, KINDS[kind].fields, parametersOf(abi))
  const made = (): MappedEvent => {
    switch (kind) {
      case 'launch':
        return launchEvent(readers, context)
      case 'buy':
      case 'sell':
        return tradeEvent(readers, context, kind)
      case 'trade':
        return tradeEvent(readers, context, null)
      case 'complete':
        return completeEvent(readers, context)
      case 'graduate':
      case 'pool':
        return poolEvent(readers, context, kind === 'graduate')
      case 'feeAccrued':
      case 'feeClaimed':
        return feeEvent(readers, context, kind === 'feeClaimed', knowsToken(entry, contracts))
    }
  }
  return { kind, emitter: mapping.emitter, checkShape: shapeOf(abi), ...made() }
}
