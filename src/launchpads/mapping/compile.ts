import type { AbiEvent } from 'viem'
import { toEventSelector } from 'viem/utils'
import { type Address, type Hex, isEther, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { decodeEach, type EntryProblem, type LaunchpadAdapter, type LaunchpadContract } from '#launchpads/adapter.ts'
import { type DiscoveredSource, type LogSource, withoutRepeatedLaunches } from '#launchpads/logSource.ts'
import { V2_TOPICS } from '#launchpads/pools/uniswapV2.ts'
import { POOL_CREATED_TOPIC, V3_TOPICS } from '#launchpads/pools/uniswapV3.ts'
import { V4_INITIALIZE_TOPIC } from '#launchpads/pools/uniswapV4.ts'
import { eventPosition, type TokenEvent } from '#launchpads/tokenEvent.ts'
import { unlessMalformed } from '#launchpads/words.ts'
import { callProblems, compileClaimCall, parametersOf, shapeOf } from './calls.ts'
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
import { type Emitter, type Field, KINDS } from './kinds.ts'
import { completeEvent, launchEvent } from './launch.ts'
import { poolEvent } from './pools.ts'
import {
  createReaders,
  fieldProblems,
  isMade,
  type MappedEvent,
  type MappedLog,
  type MappingContext,
  type Reader,
  type Readers,
  requireReader,
  tokenReader,
} from './readers.ts'
import { ruleProblems } from './rules.ts'
import type { CallMapping } from './schema.ts'
import { parseEventSignature } from './signature.ts'
import { stateEvent, tradeEvent } from './trade.ts'

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
  const named = new Set<string>([...Object.values(contracts), ...moreFactories])
  const pools = entries.flatMap(({ mapping: { pool } }) => (isMade(pool) ? [pool] : []))
  const makers = pools.flatMap(({ factory, codeHash }) => (factory === undefined || codeHash !== undefined ? [] : [toAddress(factory)]))
  const { poolManager } = contracts
  const sharedCurve = curvePlace === 'shared' ? entries.find(({ kind }) => isTrade(kind))?.mapping.emitter : undefined
  return [
    ...[...Object.entries(contracts), ...moreFactories.map(address => ['factory', address] as const)]
      .filter(([name]) => emitters.has(name))
      .map(([name, address]): LaunchpadContract => ({ address, role: name === sharedCurve ? 'sharedCurve' : 'contract' })),
    ...[...new Set(makers)]
      .filter(address => !named.has(address))
      .map((address): LaunchpadContract => ({ address, role: 'contract', topics: [[POOL_CREATED_TOPIC]] })),
    ...(poolManager === undefined ? [] : [{ address: poolManager, role: 'poolManager', topics: [[V4_INITIALIZE_TOPIC]] } as const]),
  ]
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

/** @throws `TypeError` for a mapping with problems, which validation excludes */
export function createMappedAdapter(input: MappingInput & { readonly startBlock: number }): LaunchpadAdapter {
  const compiled = compileMapping(input)
  if (compiled.kind === 'invalid') throw new TypeError(`the events of launchpad ${input.launchpad} have problems`)
  const { byTopic, contracts, claimCall } = compiled.value
  const eventsOf = ({ topics }: ChainLog) => byTopic.get(topics[0] ?? '0x') ?? []
  const addsSources = [...byTopic].filter(([, events]) => events.some(({ discover }) => discover !== undefined))
  return {
    launchpad: input.launchpad,
    startBlock: input.startBlock,
    contracts,
    discoveryTopics: new Set(addsSources.map(([topic]) => topic)),
    decodedTopics: new Set([...byTopic.keys(), ...poolTopics(input)]),
    discover: (logs, lookup) => {
      const found: (readonly DiscoveredSource[])[] = []
      for (const log of logs) {
        for (const { emitter, discover } of eventsOf(log)) {
          const tokenSource = tokenSourceOf(emitter, log.address, lookup(log.address), input)
          if (tokenSource === undefined) continue
          const ofTransaction = () => logs.filter(({ txHash }) => txHash === log.txHash)
          found.push(unlessMalformed(() => discover?.({ log, tokenSource, lookup, ofTransaction })) ?? [])
        }
      }
      return withoutRepeatedLaunches(found, lookup)
    },
    discoverFromUnknown: (logs, all) =>
      logs.flatMap(log => {
        const ofTransaction = () => all.filter(({ txHash }) => txHash === log.txHash)
        return eventsOf(log).flatMap(event => unlessMalformed(() => event.discoverFromUnknown?.({ log, ofTransaction })) ?? [])
      }),
    decode: (transaction, lookup) => {
      const states = new Set<TokenEvent>()
      const ofTransaction = () => transaction.logs.map(({ log }) => log)
      const { events, malformed } = decodeEach(transaction, ({ log, source }) => {
        const decoded: TokenEvent[] = []
        for (const { emitter, decode, followsTrade } of eventsOf(log)) {
          const tokenSource = tokenSourceOf(emitter, log.address, source, input)
          if (tokenSource === undefined) continue
          const ofEvent = decode({ log, tokenSource, transaction, lookup, ofTransaction, at: eventPosition(log, transaction) })
          if (followsTrade === true) for (const event of ofEvent) states.add(event)
          decoded.push(...ofEvent)
        }
        return decoded
      })
      return { events: statesWithTrades(events, states), malformed }
    },
    claimCall,
  }
}

function poolTopics({ events }: MappingInput): readonly Hex[] {
  const types = new Set(entriesOf(events).map(({ mapping }) => mapping['poolType']))
  const areV3 = types.has('uniswap-v3') || types.has('pancakeswap-v3')
  return [...(types.has('uniswap-v2') ? V2_TOPICS : []), ...(areV3 ? [...V3_TOPICS, POOL_CREATED_TOPIC] : [])]
}

/** The token or curve that emitted a log, `null` for a contract that serves all tokens; `undefined` when the log is not this emitter's. */
function tokenSourceOf(
  emitter: Emitter,
  address: Address,
  source: LogSource | undefined,
  { contracts, moreFactories = [], launchpad }: MappingInput,
): MappedLog['tokenSource'] | undefined {
  if (emitter === 'factory' && moreFactories.includes(address)) return null
  const contract = emitter === 'token' ? undefined : contracts[emitter]
  if (contract !== undefined) return address === contract ? null : undefined
  if (source === undefined || source.launchpad !== launchpad) return undefined
  switch (source.role) {
    case 'token':
      return emitter === 'token' ? source : undefined
    case 'tokenCurve':
      return source
    case 'pool':
      return emitter === 'curve' && source.pool.type === 'curve' ? source : undefined
    default:
      return undefined
  }
}

/**
 * Puts the state that a contract reports after a trade before that trade, so that the trade has the price that it leaves. A trade takes one
 * state only; states without such a trade stay where they are.
 *
 * @param events of one transaction, in order
 * @param states those of the events that belong to the trade before them
 */
function statesWithTrades(events: readonly TokenEvent[], states: ReadonlySet<TokenEvent>): readonly TokenEvent[] {
  if (states.size === 0) return events
  const ordered: TokenEvent[] = []
  /** The log that reported the state after each trade. */
  const reportedBy = new Map<TokenEvent, number>()
  for (const event of events) {
    const at = states.has(event) ? ordered.findLastIndex(({ kind, token }) => kind === 'trade' && token === event.token) : -1
    const trade = ordered[at]
    if (trade === undefined || (reportedBy.get(trade) ?? event.logIndex) !== event.logIndex) {
      ordered.push(event)
      continue
    }
    reportedBy.set(trade, event.logIndex)
    ordered.splice(at, 0, { ...event, logIndex: trade.logIndex })
  }
  return ordered
}

function feeEvent(readers: Readers, context: MappingContext, isClaim: boolean, isTokenKnown: boolean): MappedEvent {
  const { launchpad, feeScope, weth } = context
  const token = isTokenKnown ? tokenReader(readers) : null
  const creator = requireReader(readers.address('creator'))
  const amount = requireReader(readers.amount('amount'))
  const currency = currencyReader(readers, weth)
  const scope = feeScope ?? 'token'
  return {
    decode: mapped => {
      const { log, at } = mapped
      const ofToken = token?.(mapped) ?? ZERO_ADDRESS
      const [accrued, claimed] = isClaim ? [0n, amount(log)] : [amount(log), 0n]
      const paidIn = currency(log)
      const fee: TokenEvent = {
        ...at,
        token: scope === 'token' ? ofToken : ZERO_ADDRESS,
        kind: 'creatorFee',
        launchpad,
        creator: creator(log),
        currency: paidIn,
        scope,
        accrued,
        claimed,
      }
      const isShare = scope === 'creator' && !isClaim && ofToken !== ZERO_ADDRESS && isEther(paidIn, weth)
      return isShare ? [fee, { ...at, token: ofToken, kind: 'creatorShare', accruedWei: accrued }] : [fee]
    },
  }
}

function currencyReader(readers: Readers, weth: Address): Reader<Address> {
  const choice = readers.choice('currency')
  if (choice === null) return requireReader(readers.address('currency'))
  const currency = choice === 'weth' ? weth : ZERO_ADDRESS
  return () => currency
}
