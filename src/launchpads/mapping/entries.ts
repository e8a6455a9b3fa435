import type { Address } from '#domain/address.ts'
import type { AdapterOptions, EntryProblem } from '#launchpads/adapter.ts'
import { type Emitter, KIND_NAMES, type Kind } from './kinds.ts'
import { type CurvePlace, isNumber } from './readers.ts'
import type { EventMapping, EventsMapping, FieldValue } from './schema.ts'

/** An entry whose contracts are `factory`, and `curve` and `escrow` where it has them. */
export interface MappingInput extends Pick<AdapterOptions, 'launchpad' | 'contracts' | 'weth'> {
  /** Other contracts that emit the factory's events. Default: none. */
  readonly moreFactories?: readonly Address[]
  readonly events: EventsMapping
}

export type Compiled<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'invalid'; readonly problems: readonly EntryProblem[] }

export interface MappedEntry {
  readonly kind: Kind
  readonly mapping: EventMapping
  /** The mapping's path below `events`. */
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

/** Whether a launch puts its token into a pool, and not on a curve. */
export function launchesIntoPool({ mapping }: MappedEntry): boolean {
  return mapping['poolType'] !== undefined
}

export function isTrade(kind: Kind): boolean {
  return kind === 'buy' || kind === 'sell' || kind === 'trade'
}

export function servesAllTokens(emitter: Emitter, contracts: MappingInput['contracts']): boolean {
  return emitter === 'factory' || emitter === 'escrow' || (emitter === 'curve' && contracts['curve'] !== undefined)
}

/** Whether the token of an event is known, from a parameter or from its emitter. */
export function identifiesToken({ mapping }: MappedEntry, contracts: MappingInput['contracts']): boolean {
  return mapping['token'] !== undefined || mapping['tokenOut'] !== undefined || !servesAllTokens(mapping.emitter, contracts)
}

export function tellsPrice(mapping: EventMapping): boolean {
  return mapping['price'] !== undefined || mapping['virtualQuote'] !== undefined
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
  return numberGiven(entries.find(({ kind }) => kind === 'launch')?.mapping['decimals'])
}

/** The number that stands in place of a parameter, if any. */
export function numberGiven(value: FieldValue): number | null {
  return isNumber(value) ? Number(value) : null
}

function isList(given: EventMapping | readonly EventMapping[]): given is readonly EventMapping[] {
  return Array.isArray(given)
}

/** What no event of a mapping tells, though its answers have fields for it. */
export function untoldBy(events: EventsMapping): readonly string[] {
  const entries = entriesOf(events)
  const curves = entries.filter(entry => entry.kind === 'launch' && !launchesIntoPool(entry))
  const has = (kinds: readonly Kind[], ...fields: readonly string[]) =>
    entries.some(({ kind, mapping }) => kinds.includes(kind) && fields.some(field => mapping[field] !== undefined))
  const states = ['launch', 'buy', 'sell', 'trade', 'state'] as const
  const wanting: readonly (readonly [isTold: boolean, what: string])[] = [
    [has(['launch'], 'name') && has(['launch'], 'symbol'), 'names'],
    [curves.length === 0 || has(states, 'price', 'virtualQuote'), 'prices of curves between trades'],
    [curves.length === 0 || has(states, 'reserveQuote'), 'reserves of curves'],
    [curves.length === 0 || has(['buy', 'sell', 'trade'], 'fee'), 'fees of trades'],
    [!entries.some(({ kind }) => kind === 'graduate') || has(['launch'], 'target', 'targetToken'), 'progress towards the graduation'],
    [entries.some(({ kind }) => kind === 'feeAccrued'), "creators' fees"],
  ]
  return wanting.flatMap(([isTold, what]) => (isTold ? [] : [what]))
}
