import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { Decoded, Discovery, LaunchpadAdapter, TransactionLogs, Watched } from '#launchpads/adapter.ts'
import { positionOf } from '#launchpads/eventPosition.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import { V2_TOPICS } from '#launchpads/uniswapV2.ts'
import { V3_TOPICS } from '#launchpads/uniswapV3.ts'
import { MalformedLogError } from '#launchpads/words.ts'
import { type CompiledEvent, type CompiledMapping, compileMapping } from './compile.ts'
import type { MappedLog } from './context.ts'
import { entriesOf, type MappingInput } from './entries.ts'
import type { Emitter } from './kinds.ts'

/**
 * A launchpad whose events an operator has mapped.
 *
 * @throws `TypeError` for a mapping with problems, which validation excludes
 */
export function createMappedAdapter(input: MappingInput & { readonly startBlock: number }): LaunchpadAdapter {
  const compiled = compileMapping(input)
  if (!compiled.ok) throw new TypeError(`the events of launchpad ${input.launchpad} have problems`)
  const { byTopic, contracts, sharedCurve, claimCall } = compiled.value
  return {
    launchpad: input.launchpad,
    contracts,
    ...(sharedCurve !== null && { curves: [sharedCurve] }),
    startBlock: input.startBlock,
    announcing: announcingTopics(byTopic),
    understood: new Set([...[...byTopic.keys()].filter(topic => topic !== undefined), ...poolTopics(input)]),
    discover: (logs, lookup) => {
      const found: Discovery[] = []
      for (const log of logs) {
        for (const event of byTopic.get(log.topics[0]) ?? []) {
          if (event.discover === undefined) continue
          const source = sourceOf(event.emitter, log.address, lookup(log.address), input)
          if (source !== undefined) found.push(...discoverIn(log, event, source))
        }
      }
      return found
    },
    mayAnnounce: logs => logs.flatMap(log => (byTopic.get(log.topics[0]) ?? []).flatMap(event => announcedIn(log, event))),
    decode: transaction => decodeTransaction(transaction, byTopic, input),
    claimCall,
  }
}

function announcingTopics(byTopic: CompiledMapping['byTopic']): ReadonlySet<Hex> {
  const announces = ({ discover, announce }: CompiledEvent) => discover !== undefined || announce !== undefined
  return new Set([...byTopic].flatMap(([topic, events]) => (topic !== undefined && events.some(announces) ? [topic] : [])))
}

/** Those of the kinds of pools that the mapping tells of. */
function poolTopics({ events }: MappingInput): readonly Hex[] {
  const types = new Set(entriesOf(events).map(({ mapping }) => mapping['poolType']))
  return [...(types.has('uniswap-v2') ? V2_TOPICS : []), ...(types.has('uniswap-v3') ? V3_TOPICS : [])]
}

function discoverIn(log: ChainLog, { checkShape, discover }: CompiledEvent, source: MappedLog['source']): readonly Discovery[] {
  if (discover === undefined) return []
  return unlessMalformed(() => {
    checkShape(log)
    return discover({ log, source })
  })
}

function announcedIn(log: ChainLog, { checkShape, announce }: CompiledEvent): readonly Address[] {
  if (announce === undefined) return []
  return unlessMalformed(() => {
    checkShape(log)
    return announce(log)
  })
}

function unlessMalformed<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read()
  } catch (error) {
    // Decoding the same log counts it as malformed.
    if (!(error instanceof MalformedLogError)) throw error
    return []
  }
}

function decodeTransaction(transaction: TransactionLogs, byTopic: CompiledMapping['byTopic'], input: MappingInput): Decoded {
  const events: TokenEvent[] = []
  const malformed: ChainLog[] = []
  for (const { log, watched } of transaction.logs) {
    const mapped = byTopic.get(log.topics[0])
    if (mapped === undefined) continue
    try {
      // All that a log means or nothing: a trade without its fee would be a guess.
      const meant: TokenEvent[] = []
      for (const { emitter, checkShape, decode } of mapped) {
        const source = sourceOf(emitter, log.address, watched, input)
        if (source === undefined) continue
        checkShape(log)
        meant.push(...decode({ log, source, transaction, at: positionOf(log, transaction) }))
      }
      events.push(...meant)
    } catch (error) {
      if (!(error instanceof MalformedLogError)) throw error
      malformed.push(log)
    }
  }
  return { events: graduationsLast(events), malformed }
}

/** The token's entry that emitted a log, `null` for a contract of all tokens; `undefined` when the log is not the emitter's. */
function sourceOf(
  emitter: Emitter,
  address: Address,
  watched: Watched | undefined,
  { contracts, launchpad }: MappingInput,
): MappedLog['source'] | undefined {
  const fixed = emitter === 'token' ? undefined : contracts[emitter]
  if (fixed !== undefined) return address === fixed ? null : undefined
  if (watched === undefined || watched.launchpad !== launchpad) return undefined
  switch (watched.role) {
    case 'contract':
    case 'poolManager':
    case 'locker':
    case 'position':
      return undefined
    case 'token':
      return emitter === 'token' ? watched : undefined
    case 'tokenCurve':
      return watched
    case 'pool':
      return emitter === 'curve' && watched.pool.type === 'curve' ? watched : undefined
  }
}

/**
 * A contract may tell of the buy that reaches the target after the graduation that it sets off. Nothing trades on a curve that has graduated, so
 * the trades of the same transaction come first.
 */
function graduationsLast(events: readonly TokenEvent[]): readonly TokenEvent[] {
  if (!events.some(isEnd)) return events
  const lastTrades = new Map<Address, number>()
  for (const event of events) if (event.kind === 'trade') lastTrades.set(event.token, event.logIndex)
  const kept: TokenEvent[] = []
  const delayed: TokenEvent[] = []
  for (const event of events) {
    const last = lastTrades.get(event.token)
    if (isEnd(event) && last !== undefined && last > event.logIndex) delayed.push({ ...event, logIndex: last })
    else kept.push(event)
  }
  return [...kept, ...delayed]
}

function isEnd({ kind }: TokenEvent): boolean {
  return kind === 'completed' || kind === 'migrated'
}
