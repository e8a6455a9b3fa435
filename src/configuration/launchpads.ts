import { z } from 'zod'
import type { LaunchpadConfig, LaunchpadsConfig, PeggedCurrency } from '#config'
import { type Address, isEther, parseAddress, toAddress } from '#domain/address.ts'
import { BASE_WETH, MAX_QUOTE_DECIMALS } from '#domain/prices.ts'
import { abbreviate } from '#domain/text.ts'
import type { AdapterKind } from '#launchpads/adapter.ts'
import { readIfPresent } from './environment.ts'
import { lineOfJsonValue, parseJsonFile, pathText, valueAt } from './json.ts'
import { givenName } from './settingTypes.ts'

export type KnownAdapters = Readonly<Record<string, KnownAdapter>>

type KnownAdapter = Omit<AdapterKind, 'create'>

type LaunchpadsResult =
  | { readonly kind: 'valid'; readonly value: LaunchpadsConfig }
  /** One sentence per problem, beginning with the place in the file. */
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }

const EXPECTED_ADDRESS = 'expected an address, 0x and 40 hex digits'
const EXPECTED_START = 'expected a block number, a whole number from 0'
const EXPECTED_ENTRIES = 'expected a list of at least one launchpad'

const address = z
  .string({ error: EXPECTED_ADDRESS })
  .regex(/^0x[0-9a-fA-F]{40}$/, { error: EXPECTED_ADDRESS })
  .meta({ description: 'A contract address: 0x and 40 hex digits.' })

const name = givenName.meta({ description: 'Your own name of the launchpad, shown as `launchpad` of its tokens.' })

const startBlock = z
  .int({ error: EXPECTED_START })
  .min(0, { error: EXPECTED_START })
  .meta({ description: 'The first block to index: the one that created the launchpad contracts, or a later one.' })

const EXPECTED_PEGS = 'expected a list of currencies, each with token and decimals'
const EXPECTED_DECIMALS = `expected how many decimals the currency has, a whole number from 0 to ${MAX_QUOTE_DECIMALS}`

const peggedCurrency = z.strictObject(
  {
    token: address,
    decimals: z
      .int({ error: EXPECTED_DECIMALS })
      .min(0, { error: EXPECTED_DECIMALS })
      .max(MAX_QUOTE_DECIMALS, { error: EXPECTED_DECIMALS })
      .meta({ description: 'What the contract returns as `decimals()`. USDC and USDT have 6.' }),
  },
  { error: EXPECTED_PEGS },
)

function contractField(preset: Address | undefined, isDerived: boolean) {
  if (preset === undefined && !isDerived) return address
  const whenOptional = isDerived ? 'It may be left out: the factory returns it.' : `On Base it may be left out (${preset}).`
  return address.optional().meta({ description: `A contract address: 0x and 40 hex digits. ${whenOptional}` })
}

type Entry = Pick<LaunchpadConfig, 'name' | 'adapter' | 'startBlock'> & Readonly<Record<string, unknown>>

type LaunchpadsFile = Readonly<{ weth: string; pegUsd?: readonly PeggedCurrency[]; launchpads: readonly Entry[] }>

function launchpadsSchema(known: KnownAdapters) {
  const entries = Object.entries(known).map(([adapter, { contracts, presets, derivedContracts, optionalContracts = [], settings = {} }]) =>
    z.strictObject({
      name,
      adapter: z.literal(adapter),
      startBlock,
      ...Object.fromEntries(
        contracts.map(contract => [contract, contractField(presets?.[contract], derivedContracts?.[contract] !== undefined)]),
      ),
      ...Object.fromEntries(optionalContracts.map(contract => [contract, address.optional()])),
      ...Object.fromEntries(Object.entries(settings).map(([setting, schema]) => [setting, schema.optional()])),
    }),
  )
  const [first, ...others] = entries
  if (first === undefined) throw new TypeError('no adapter is known')
  const entry = z.discriminatedUnion('adapter', [first, ...others], {
    error: issue => (issue.code === 'invalid_union' ? `expected one of ${Object.keys(known).join(', ')}` : 'expected a launchpad'),
  })
  return z
    .strictObject(
      {
        $schema: z.string({ error: 'expected the address of a schema' }).optional(),
        weth: address.meta({ description: 'The wrapped native currency of the chain: 0x and 40 hex digits.' }),
        pegUsd: z
          .array(peggedCurrency, { error: EXPECTED_PEGS })
          .optional()
          .meta({ description: 'Stablecoins of which one whole unit counts as one US dollar. Left out: there are none.' }),
        launchpads: z.array(entry, { error: EXPECTED_ENTRIES }).min(1, { error: EXPECTED_ENTRIES }),
      },
      { error: 'expected an object with weth and launchpads' },
    )
    .meta({ title: 'What Tokenwire indexes' })
}

/** The JSON Schema of `launchpads.json` for editors: the rules of `parseLaunchpads`, except those that no schema can express. */
export function launchpadsJsonSchema(known: KnownAdapters): object {
  return z.toJSONSchema(launchpadsSchema(known), { io: 'input' })
}

/** Parses `launchpads.json`. Every problem names its place in the file. */
export function parseLaunchpads(text: string, known: KnownAdapters): LaunchpadsResult {
  const json = parseJsonFile(text)
  if (json.kind === 'invalid') return json
  const input = json.value
  const parsed = launchpadsSchema(known).safeParse(input)
  if (!parsed.success) return { kind: 'invalid', problems: parsed.error.issues.flatMap(issue => describeIssue(issue, input, known)) }
  const file = parsed.data as unknown as LaunchpadsFile
  const missing = findMissing(file, known)
  if (missing.length > 0) return { kind: 'invalid', problems: missing }
  // On another chain the contracts of Base are no default: contracts that are left out are read from that chain.
  const onBase = parseAddress(file.weth) === BASE_WETH
  const launchpads = file.launchpads.map(entry => ({ ...(onBase ? known[entry.adapter]?.presets : {}), ...entry }))
  const weth = toAddress(file.weth)
  const value = launchpads.map(entry => toLaunchpad(entry, known[entry.adapter]))
  const pegUsd = file.pegUsd?.map(({ token, decimals }) => ({ token: toAddress(token), decimals }))
  const problems = [
    ...findWrongPegs(pegUsd ?? [], weth),
    ...findRepetitions(launchpads),
    ...value.flatMap((launchpad, index) => checkEntry(launchpad, index, weth, known)),
  ]
  return problems.length > 0
    ? { kind: 'invalid', problems }
    : { kind: 'valid', value: { weth, ...(pegUsd !== undefined && { pegUsd }), launchpads: value } }
}

function toLaunchpad(entry: Entry, adapter: KnownAdapter | undefined): LaunchpadConfig {
  const contracts = [...(adapter?.contracts ?? []), ...(adapter?.optionalContracts ?? [])].filter(contract => entry[contract] !== undefined)
  const settings = Object.keys(adapter?.settings ?? {}).filter(setting => entry[setting] !== undefined)
  return {
    name: entry.name,
    adapter: entry.adapter,
    startBlock: entry.startBlock,
    contracts: Object.fromEntries(contracts.map(contract => [contract, toAddress(String(entry[contract]))])),
    ...(settings.length > 0 && { settings: Object.fromEntries(settings.map(setting => [setting, entry[setting]])) }),
  }
}

/** The problems that the adapter itself finds in an entry. A step `..` of a path leads out of the field to its neighbours. */
function checkEntry({ name, adapter, contracts, settings = {} }: LaunchpadConfig, index: number, weth: Address, known: KnownAdapters) {
  const problems = known[adapter]?.check?.({ launchpad: name, contracts, weth, settings }) ?? []
  return problems.map(({ path, message }) => `${pathText(['launchpads', index, ...path.slice(path.lastIndexOf('..') + 1)])}: ${message}`)
}

/** The problems of contracts that are left out although the presets are not of this chain. */
function findMissing({ weth, launchpads }: LaunchpadsFile, known: KnownAdapters): readonly string[] {
  if (parseAddress(weth) === BASE_WETH) return []
  return launchpads.flatMap((entry, index) =>
    Object.keys(known[entry.adapter]?.presets ?? {})
      .filter(contract => entry[contract] === undefined && known[entry.adapter]?.derivedContracts?.[contract] === undefined)
      .map(
        contract =>
          `launchpads[${index}].${contract}: missing, ${EXPECTED_ADDRESS}: only on Base it may be left out, whose weth is ${BASE_WETH}`,
      ),
  )
}

function findWrongPegs(pegs: readonly PeggedCurrency[], weth: Address): readonly string[] {
  return pegs.flatMap(({ token }, index) => {
    const earlier = pegs.findIndex(other => other.token === token)
    return [
      ...(isEther(token, weth) ? [`pegUsd[${index}].token: expected a stablecoin, got ether`] : []),
      ...(earlier < index ? [`pegUsd[${index}].token: ${token} is pegged by pegUsd[${earlier}] already`] : []),
    ]
  })
}

/** What only one entry may name, by the field that names it. */
const OWN: Readonly<Record<string, (entry: Entry) => readonly string[]>> = {
  factory: ({ factory, moreFactories: others }: Entry) =>
    [factory, ...(Array.isArray(others) ? others : [])].flatMap(one => parseAddress(one) ?? []),
  pool: ({ pool }) => (typeof pool === 'string' ? [pool.toLowerCase()] : []),
  poolId: ({ poolId }) => (typeof poolId === 'string' ? [poolId.toLowerCase()] : []),
}

/** Two entries with the same name could not be told apart. Two with the same factory or pool would index it twice. */
function findRepetitions(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry, index) => {
    const earlier = entries.slice(0, index)
    const sameName = earlier.findIndex(other => other.name === entry.name)
    const taken = Object.entries(OWN).flatMap(([field, keysOf]) => {
      const keys = new Set(earlier.flatMap(keysOf))
      const key = keysOf(entry).find((one, place, own) => keys.has(one) || own.indexOf(one) < place)
      const owner = entries.findIndex(other => key !== undefined && keysOf(other).includes(key))
      return owner === -1 ? [] : [`launchpads[${index}].${field}: ${key} is the ${field} of launchpads[${owner}] already`]
    })
    return [
      ...(sameName === -1 ? [] : [`launchpads[${index}].name: ${abbreviate(entry.name)} is the name of launchpads[${sameName}] already`]),
      ...taken,
    ]
  })
}

function describeIssue(issue: z.core.$ZodIssue, input: unknown, known: KnownAdapters): readonly string[] {
  const value = valueAt(input, issue.path)
  if (issue.code === 'invalid_union') {
    const inner = intendedForm(issue, value)
    if (inner !== null) return inner.flatMap(one => describeIssue({ ...one, path: [...issue.path, ...one.path] }, input, known))
  }
  const place = pathText(issue.path)
  const prefix = place === '' ? '' : `${place}: `
  if (issue.code === 'unrecognized_keys') return issue.keys.map(key => describeKey(issue, key, value, known))
  return [value === undefined ? `${prefix}missing, ${issue.message}` : `${prefix}${issue.message}, got ${abbreviate(value)}`]
}

/** The mistakes in a value that may have several forms, for the form that it has; `null`: it has none of them. */
function intendedForm({ errors }: z.core.$ZodIssueInvalidUnion, value: unknown): readonly z.core.$ZodIssue[] | null {
  if (typeof value !== 'object' || value === null) return null
  return errors.find(issues => issues.every(issue => issue.path.length > 0 || issue.code === 'unrecognized_keys')) ?? null
}

function describeKey(issue: z.core.$ZodIssueUnrecognizedKeys, key: string, value: unknown, known: KnownAdapters): string {
  const where = pathText([...issue.path, key])
  if (issue.path.length === 0) return `${where}: unknown, expected only $schema, weth, pegUsd and launchpads`
  if (issue.path.length > 2 || issue.path[0] === 'pegUsd') return `${where}: ${issue.message}`
  const adapter = String(valueAt(value, ['adapter']))
  const { contracts = [], optionalContracts = [], settings = {} } = known[adapter] ?? {}
  const keys = ['name', 'adapter', 'startBlock', ...contracts, ...optionalContracts, ...Object.keys(settings)]
  return `${where}: unknown, an entry with adapter ${abbreviate(adapter)} has only ${keys.join(', ')}`
}

const PLACE = /^(?:[A-Za-z]\w*|\[\d+\])(?:\.\w+|\[\d+\])*(?=:)/

/** Reads `launchpads.json`. Each problem begins with its line, where the file can be read. */
export function readLaunchpadsFile(file: string, known: KnownAdapters): LaunchpadsResult {
  const read = readIfPresent(file)
  if (read.kind !== 'text') return { kind: 'invalid', problems: [read.problem] }
  const parsed = parseLaunchpads(read.text, known)
  return parsed.kind === 'valid' ? parsed : { ...parsed, problems: parsed.problems.map(problem => withLine(read.text, problem)) }
}

function withLine(text: string, problem: string): string {
  const place = PLACE.exec(problem)?.[0]
  if (place === undefined) return problem
  const path = place.match(/\w+/g)?.map(step => (/^\d+$/.test(step) ? Number(step) : step)) ?? []
  return `line ${lineOfJsonValue(text.replace(/^\uFEFF/, ''), path)}: ${problem}`
}
