import { isDeepStrictEqual } from 'node:util'
import type { LaunchpadConfig } from '#config'
import type { Address } from '#domain/address.ts'

/** What an edited list asks of an index that was built from another one, per entry. */
export type LaunchpadStep = { readonly name: string } & (
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'added'; readonly fromBlock: number }
  /** It begins earlier: its tokens are built anew from there. */
  | { readonly kind: 'earlier'; readonly fromBlock: number; readonly wasFrom: number }
  /** Its tokens are built anew. */
  | { readonly kind: 'changed'; readonly fromBlock: number; readonly fields: readonly ChangedField[] }
  /** A pool that values a currency of its tokens is other than before: its tokens are built anew. */
  | { readonly kind: 'revalued'; readonly fromBlock: number; readonly currencies: readonly Address[] }
  | { readonly kind: 'removed' }
)

/** A field of an entry that differs; `undefined`: the entry does not have it. */
export interface ChangedField {
  readonly name: string
  readonly was: unknown
  readonly is: unknown
}

export interface LaunchpadsPlan {
  /** In the order of the new list, then what is removed. */
  readonly steps: readonly LaunchpadStep[]
  /** The entries of the side index: those that are new or built anew, and each pool that values a currency. */
  readonly side: readonly LaunchpadConfig[]
  /** Of `side`, those whose rows join the index. */
  readonly joined: readonly string[]
  /** Those whose rows go from the index: removed, or replaced by what joins. */
  readonly leaving: readonly string[]
}

/**
 * The difference between the list that an index was built from and another one. Contracts that an entry leaves out must be completed in
 * both.
 *
 * @param quotedIn the currencies other than WETH that the tokens of each launchpad are quoted in, by its name
 */
export function planLaunchpads(
  inForce: readonly LaunchpadConfig[],
  wanted: readonly LaunchpadConfig[],
  quotedIn: ReadonlyMap<string, readonly Address[]> = new Map(),
): LaunchpadsPlan {
  const before = new Map(inForce.map(entry => [entry.name, entry]))
  const names = new Set(wanted.map(({ name }) => name))
  const alone = wanted.map(entry => stepOf(before.get(entry.name), entry))
  const removed = inForce.filter(({ name }) => !names.has(name)).map(({ name }): LaunchpadStep => ({ kind: 'removed', name }))
  const moved = new Set([...alone, ...removed].filter(({ kind }) => kind !== 'unchanged').map(({ name }) => name))
  const affected = affectedCurrencies([...inForce, ...wanted], moved)
  const steps = alone.map((step, index): LaunchpadStep => {
    const currencies = (quotedIn.get(step.name) ?? []).filter(currency => affected.has(currency))
    if (step.kind !== 'unchanged' || currencies.length === 0) return step
    return { kind: 'revalued', name: step.name, fromBlock: wanted[index]?.startBlock ?? 0, currencies }
  })
  const built = new Set(steps.filter(({ kind }) => kind !== 'unchanged').map(({ name }) => name))
  return {
    steps: [...steps, ...removed],
    side: built.size === 0 ? [] : wanted.filter(entry => built.has(entry.name) || isQuotePool(entry)),
    joined: wanted.map(({ name }) => name).filter(name => built.has(name)),
    leaving: [...steps.filter(({ kind }) => kind !== 'unchanged' && kind !== 'added'), ...removed].map(({ name }) => name),
  }
}

/** Whether the plan changes the index at all. */
export function isIdle({ steps }: Pick<LaunchpadsPlan, 'steps'>): boolean {
  return steps.every(({ kind }) => kind === 'unchanged')
}

function stepOf(before: LaunchpadConfig | undefined, entry: LaunchpadConfig): LaunchpadStep {
  const { name, startBlock: fromBlock } = entry
  if (before === undefined) return { kind: 'added', name, fromBlock }
  const [was, is] = [fieldsOf(before), fieldsOf(entry)]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(field => !isDeepStrictEqual(was[field], is[field]))
  const fields = names.map((field): ChangedField => ({ name: field, was: was[field], is: is[field] }))
  if (fields.length === 0) return { kind: 'unchanged', name }
  if (fields.length === 1 && fields[0]?.name === 'startBlock' && fromBlock < before.startBlock) {
    return { kind: 'earlier', name, fromBlock, wasFrom: before.startBlock }
  }
  return { kind: 'changed', name, fromBlock, fields }
}

/** An entry's fields as they are compared: as JSON, and without `poolKey`, which only checks the `poolId` beside it. */
function fieldsOf({ name: _, contracts, settings: { poolKey: __, ...settings } = {}, ...entry }: LaunchpadConfig): Record<string, unknown> {
  return JSON.parse(JSON.stringify({ ...entry, ...contracts, ...settings })) as Record<string, unknown>
}

const isQuotePool = ({ adapter }: LaunchpadConfig) => adapter === 'quote-pool'

/** The currencies whose value depends on a quote pool that is other than before, directly or by the other side of another quote pool. */
function affectedCurrencies(entries: readonly LaunchpadConfig[], moved: ReadonlySet<string>): ReadonlySet<Address> {
  const pools = entries.filter(isQuotePool)
  const affected = new Set<Address>()
  for (let known = -1; known < affected.size; ) {
    known = affected.size
    for (const { name, contracts } of pools) {
      const { token, against } = contracts
      if (token !== undefined && (moved.has(name) || (against !== undefined && affected.has(against)))) affected.add(token)
    }
  }
  return affected
}
