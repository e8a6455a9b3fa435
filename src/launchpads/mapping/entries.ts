import type { Address } from '#domain/address.ts'
import type { CurvePlace } from './context.ts'
import { type Emitter, KIND_NAMES, type Kind } from './kinds.ts'
import type { Problem } from './readers.ts'
import type { EventMapping, EventsMapping } from './schema.ts'

/** What an entry gives a mapping. */
export interface MappingInput {
  readonly launchpad: string
  readonly events: EventsMapping
  /** `factory`, and `curve` and `escrow` where the entry names them. */
  readonly contracts: Readonly<Record<string, Address>>
  readonly weth: Address
}

/** An event as it stands in the file. */
export interface MappedEntry {
  readonly kind: Kind
  readonly mapping: EventMapping
  /** Its place below `events`. */
  readonly path: Problem['path']
}

export function entriesOf(events: EventsMapping): readonly MappedEntry[] {
  return KIND_NAMES.flatMap(kind => {
    const given = events[kind]
    if (given === undefined) return []
    if (!isList(given)) return [{ kind, mapping: given, path: [kind] }]
    return given.map((mapping, index) => ({ kind, mapping, path: [kind, index] }))
  })
}

export function isTrade(kind: Kind): boolean {
  return kind === 'buy' || kind === 'sell' || kind === 'trade'
}

/** Whether an emitter is one contract for all tokens. */
export function isFixed(emitter: Emitter, contracts: MappingInput['contracts']): boolean {
  return emitter === 'factory' || emitter === 'escrow' || (emitter === 'curve' && contracts['curve'] !== undefined)
}

/** Whether an event says of which token it is: by a parameter, or by who emitted it. */
export function knowsToken({ mapping }: MappedEntry, contracts: MappingInput['contracts']): boolean {
  return mapping['token'] !== undefined || !isFixed(mapping.emitter, contracts)
}

/** Where a mapping's tokens trade: where its launches say, or else where its trades come from. */
export function curvePlaceOf(entries: readonly MappedEntry[]): CurvePlace {
  const launches = entries.filter(({ kind }) => kind === 'launch')
  const named = launches.filter(({ mapping }) => mapping['curve'] !== undefined)
  if (named.length > 0) return named.every(({ mapping }) => mapping['curve'] === mapping['token']) ? 'token' : 'own'
  return entries.some(({ kind, mapping }) => isTrade(kind) && mapping.emitter === 'token') ? 'token' : 'shared'
}

/** The decimals of every token, where the launches give a number instead of a parameter. */
export function fixedDecimals(entries: readonly MappedEntry[]): number | null {
  const given = entries.find(({ kind }) => kind === 'launch')?.mapping['decimals']
  return /^\d+$/.test(String(given)) ? Number(given) : null
}

function isList(given: EventMapping | readonly EventMapping[]): given is readonly EventMapping[] {
  return Array.isArray(given)
}
