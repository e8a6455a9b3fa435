import { isDeepStrictEqual } from 'node:util'
import type { LaunchpadConfig, PeggedCurrency } from '#config'
import type { Address } from '#domain/address.ts'
import { abbreviate } from '#domain/text.ts'

/** What an edited list asks of an index that was built from another one, per entry. */
type LaunchpadStep = { readonly name: string } & (
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'added'; readonly fromBlock: number }
  /** It begins earlier: its tokens are built anew from there. */
  | { readonly kind: 'earlier'; readonly fromBlock: number; readonly wasFrom: number }
  /** Its tokens are built anew. */
  | { readonly kind: 'changed'; readonly fromBlock: number; readonly fields: readonly ChangedField[] }
  /** A pool or a peg that values a currency of its tokens is other than before: its tokens are built anew. */
  | { readonly kind: 'revalued'; readonly fromBlock: number; readonly currencies: readonly Address[] }
  /** An operator wants it built anew. */
  | { readonly kind: 'rebuilt'; readonly fromBlock: number }
  | { readonly kind: 'removed' }
)

/** A field of an entry that differs; `undefined`: the entry does not have it. */
interface ChangedField {
  readonly name: string
  readonly was: unknown
  readonly is: unknown
}

/** What is compared. */
export interface PlannedLists {
  readonly inForce: PlannedList & { readonly rebuild?: readonly string[] }
  readonly wanted: PlannedList
}

interface PlannedList {
  readonly launchpads: readonly LaunchpadConfig[]
  readonly pegUsd?: readonly PeggedCurrency[] | undefined
}

export interface LaunchpadsPlan {
  /** The steps, in the order of the new list, then those for what is removed. */
  readonly steps: readonly LaunchpadStep[]
  /** The entries of the side index: those that are new or built anew, and each pool that values a currency. */
  readonly side: readonly LaunchpadConfig[]
  /** The entries of `side` whose rows join the index. */
  readonly joined: readonly string[]
  /** The entries whose rows go from the index: removed, or replaced by what joins. */
  readonly leaving: readonly string[]
  /** The currencies whose peg differs. */
  readonly repegged: readonly Address[]
}

/**
 * The difference between the list that an index was built from and another one. Contracts that an entry leaves out must be completed in
 * both.
 *
 * @param quotedIn the currencies other than WETH that the tokens of each launchpad are quoted in, by its name
 */
export function planLaunchpads(
  { launchpads: inForce, pegUsd: pegsBefore, rebuild }: PlannedLists['inForce'],
  { launchpads: wanted, pegUsd: pegs }: PlannedLists['wanted'],
  quotedIn: ReadonlyMap<string, readonly Address[]> = new Map(),
): LaunchpadsPlan {
  const before = new Map(inForce.map(entry => [entry.name, entry]))
  const names = new Set(wanted.map(({ name }) => name))
  const marked = new Set(rebuild)
  const alone = wanted.map(entry => stepOf(before.get(entry.name), entry, marked))
  const removed = inForce.filter(({ name }) => !names.has(name)).map(({ name }): LaunchpadStep => ({ kind: 'removed', name }))
  const moved = new Set([...alone, ...removed].filter(({ kind }) => kind !== 'unchanged').map(({ name }) => name))
  const repegged = changedPegs(pegsBefore ?? [], pegs ?? [])
  const affected = affectedCurrencies([...inForce, ...wanted], moved, repegged)
  const dollars = otherDollars(dollarsOf(inForce, pegsBefore ?? []), dollarsOf(wanted, pegs ?? []), affected)
  const steps = alone.map((step, index): LaunchpadStep => {
    const currencies = [...new Set([...(quotedIn.get(step.name) ?? []).filter(currency => affected.has(currency)), ...dollars])]
    if (step.kind !== 'unchanged' || currencies.length === 0) return step
    return { kind: 'revalued', name: step.name, fromBlock: wanted[index]?.startBlock ?? 0, currencies }
  })
  const built = new Set(steps.filter(({ kind }) => kind !== 'unchanged').map(({ name }) => name))
  return {
    steps: [...steps, ...removed],
    side: built.size === 0 ? [] : wanted.filter(entry => built.has(entry.name) || isQuotePool(entry)),
    joined: wanted.map(({ name }) => name).filter(name => built.has(name)),
    leaving: [...steps.filter(({ kind }) => kind !== 'unchanged' && kind !== 'added'), ...removed].map(({ name }) => name),
    repegged,
  }
}

/** Whether the plan changes nothing. */
export function isIdle({ steps, repegged }: Pick<LaunchpadsPlan, 'steps' | 'repegged'>): boolean {
  return repegged.length === 0 && steps.every(({ kind }) => kind === 'unchanged')
}

function stepOf(before: LaunchpadConfig | undefined, entry: LaunchpadConfig, marked: ReadonlySet<string>): LaunchpadStep {
  const { name, startBlock: fromBlock } = entry
  if (before === undefined) return { kind: 'added', name, fromBlock }
  const [was, is] = [fieldsOf(before), fieldsOf(entry)]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(field => !isDeepStrictEqual(was[field], is[field]))
  const fields = names.map((field): ChangedField => ({ name: field, was: was[field], is: is[field] }))
  if (fields.length === 0) return marked.has(name) ? { kind: 'rebuilt', name, fromBlock } : { kind: 'unchanged', name }
  if (fields.length === 1 && fields[0]?.name === 'startBlock' && fromBlock < before.startBlock) {
    return { kind: 'earlier', name, fromBlock, wasFrom: before.startBlock }
  }
  return { kind: 'changed', name, fromBlock, fields }
}

/**
 * An entry's fields as they are compared: as JSON, without `poolKey`, which only checks the `poolId` beside it, and without the adapter's
 * version, by which nothing is built anew before an operator wants it.
 */
function fieldsOf({
  name: _,
  version: __,
  contracts,
  settings: { poolKey: ___, ...settings } = {},
  ...entry
}: LaunchpadConfig): Record<string, unknown> {
  return JSON.parse(JSON.stringify({ ...entry, ...contracts, ...settings })) as Record<string, unknown>
}

const isQuotePool = ({ adapter }: LaunchpadConfig) => adapter === 'quote-pool'

/**
 * The currencies whose value depends on a peg or a quote pool that is other than before, directly or by the other side of another quote
 * pool.
 */
function affectedCurrencies(
  entries: readonly LaunchpadConfig[],
  moved: ReadonlySet<string>,
  repegged: readonly Address[],
): ReadonlySet<Address> {
  const pools = entries.filter(isQuotePool)
  const affected = new Set(repegged)
  for (let known = -1; known < affected.size; ) {
    known = affected.size
    for (const { name, contracts } of pools) {
      const { token, against } = contracts
      if (token !== undefined && (moved.has(name) || (against !== undefined && affected.has(against)))) affected.add(token)
    }
  }
  return affected
}

/** The currencies that are pegged in one list only, or otherwise. */
function changedPegs(before: readonly PeggedCurrency[], after: readonly PeggedCurrency[]): readonly Address[] {
  const decimalsIn = (pegs: readonly PeggedCurrency[], token: Address) => pegs.find(peg => peg.token === token)?.decimals
  const tokens = new Set([...before, ...after].map(({ token }) => token))
  return [...tokens].filter(token => decimalsIn(before, token) !== decimalsIn(after, token))
}

/** The pegged currencies whose pools tell what ether costs, in the order in which they are asked. */
function dollarsOf(entries: readonly LaunchpadConfig[], pegs: readonly PeggedCurrency[]): readonly Address[] {
  const priced = new Set(entries.filter(isQuotePool).map(({ contracts }) => contracts['token']))
  return pegs.map(({ token }) => token).filter(token => priced.has(token))
}

/** The dollars by which ether has other prices than before, which every launchpad's values in USD depend on. */
function otherDollars(before: readonly Address[], after: readonly Address[], affected: ReadonlySet<Address>): readonly Address[] {
  const all = [...new Set([...before, ...after])]
  return isDeepStrictEqual(before, after) ? all.filter(dollar => affected.has(dollar)) : all
}

/** A plan as one line per entry, for people. Blocks are counted up to `head`, where it is known. */
export function describePlan({ steps, repegged }: Pick<LaunchpadsPlan, 'steps' | 'repegged'>, head: number | null): readonly string[] {
  const pegs = repegged.length === 0 ? [] : [`pegUsd: changed for ${repegged.join(', ')}`]
  return [...steps.map(step => `${step.name}: ${describeStep(step, head)}`), ...pegs]
}

/** As `describePlan`, without what stays as it is. */
export function describeChanges({ steps, repegged }: Pick<LaunchpadsPlan, 'steps' | 'repegged'>, head: number | null): readonly string[] {
  return describePlan({ steps: steps.filter(({ kind }) => kind !== 'unchanged'), repegged }, head)
}

function describeStep(step: LaunchpadStep, head: number | null): string {
  switch (step.kind) {
    case 'unchanged':
      return 'unchanged'
    case 'added':
      return `added${blocksFrom(step.fromBlock, head)}`
    case 'earlier':
      return `begins earlier than block ${step.wasFrom}, rebuilt${blocksFrom(step.fromBlock, head)}`
    case 'changed':
      return `changed (${step.fields.map(describeField).join(', ')}), rebuilt${blocksFrom(step.fromBlock, head)}`
    case 'revalued':
      return `valued otherwise (in ${step.currencies.join(', ')}), rebuilt${blocksFrom(step.fromBlock, head)}`
    case 'rebuilt':
      return `rebuilt${blocksFrom(step.fromBlock, head)}`
    case 'removed':
      return 'removed'
  }
}

function describeField({ name, was, is }: ChangedField): string {
  if (was === undefined) return `${name} is ${abbreviate(is)}`
  return is === undefined ? `${name} was ${abbreviate(was)}` : `${name} was ${abbreviate(was)}, is ${abbreviate(is)}`
}

function blocksFrom(from: number, head: number | null): string {
  return head === null ? ` from block ${from}` : ` from block ${from}, ${Math.max(0, head - from + 1)} blocks`
}
