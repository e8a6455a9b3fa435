import type { Address } from '#domain/address.ts'
import type { EntryProblem } from '#launchpads/adapter.ts'
import type { CurvePlace } from './context.ts'
import { type Emitter, KIND_NAMES, type Kind } from './kinds.ts'
import type { EventMapping, EventsMapping } from './schema.ts'

/** The parts of an entry of `launchpads.json` that concern its mapping. */
export interface MappingInput {
  readonly launchpad: string
  readonly events: EventsMapping
  /** `factory`, and `curve` and `escrow` where the entry has them. */
  readonly contracts: Readonly<Record<string, Address>>
  readonly weth: Address
}

/** A compiled part of a mapping, or everything that is wrong with it. */
export type Compiled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly EntryProblem[] }

/** One mapped event of an entry. */
export interface MappedEntry {
  readonly kind: Kind
  readonly mapping: EventMapping
  /** Its path below `events`. */
  readonly path: EntryProblem['path']
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
export function servesAllTokens(emitter: Emitter, contracts: MappingInput['contracts']): boolean {
  return emitter === 'factory' || emitter === 'escrow' || (emitter === 'curve' && contracts['curve'] !== undefined)
}

/** Whether the token of an event is known, from a parameter or from its emitter. */
export function identifiesToken({ mapping }: MappedEntry, contracts: MappingInput['contracts']): boolean {
  return mapping['token'] !== undefined || !servesAllTokens(mapping.emitter, contracts)
}

/** Where the tokens trade: where their launches say, or else where their trades are emitted. */
export function curvePlaceOf(entries: readonly MappedEntry[]): CurvePlace {
  const launches = entries.filter(({ kind }) => kind === 'launch')
  const named = launches.filter(({ mapping }) => mapping['curve'] !== undefined)
  if (named.length > 0) return named.every(({ mapping }) => mapping['curve'] === mapping['token']) ? 'token' : 'own'
  return entries.some(({ kind, mapping }) => isTrade(kind) && mapping.emitter === 'token') ? 'token' : 'shared'
}

/** The decimals of all tokens, where the launches give a number and no parameter. */
export function fixedDecimals(entries: readonly MappedEntry[]): number | null {
  const given = entries.find(({ kind }) => kind === 'launch')?.mapping['decimals']
  return /^\d+$/.test(String(given)) ? Number(given) : null
}

function isList(given: EventMapping | readonly EventMapping[]): given is readonly EventMapping[] {
  return Array.isArray(given)
}
