import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { decodeEach } from '#launchpads/decodeEach.ts'
import { eventPosition } from '#launchpads/eventPosition.ts'
import type { LogSource } from '#launchpads/logSource.ts'
import { unlessMalformed } from '#launchpads/malformedLog.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import { V2_TOPICS } from '#launchpads/uniswapV2.ts'
import { V3_TOPICS } from '#launchpads/uniswapV3.ts'
import { compileMapping } from './compile.ts'
import type { MappedLog } from './context.ts'
import { entriesOf, type MappingInput } from './entries.ts'
import type { Emitter } from './kinds.ts'

/**
 * An adapter for a launchpad whose events an operator has mapped.
 *
 * @throws `TypeError` for a mapping with problems, which validation excludes
 */
export function createMappedAdapter(input: MappingInput & { readonly startBlock: number }): LaunchpadAdapter {
  const compiled = compileMapping(input)
  if (!compiled.ok) throw new TypeError(`the events of launchpad ${input.launchpad} have problems`)
  const { byTopic, contracts, claimCall } = compiled.value
  const eventsOf = ({ topics: [topic] }: ChainLog) => (topic === undefined ? [] : (byTopic.get(topic) ?? []))
  const addsSources = [...byTopic].filter(([, events]) => events.some(({ discover }) => discover !== undefined))
  return {
    launchpad: input.launchpad,
    startBlock: input.startBlock,
    contracts,
    discoveryTopics: new Set(addsSources.map(([topic]) => topic)),
    decodedTopics: new Set([...byTopic.keys(), ...poolTopics(input)]),
    discover: (logs, lookup) =>
      logs.flatMap(log =>
        eventsOf(log).flatMap(({ emitter, checkShape, discover }) => {
          const tokenSource = tokenSourceOf(emitter, log.address, lookup(log.address), input)
          if (discover === undefined || tokenSource === undefined) return []
          const read = () => {
            checkShape(log)
            return discover({ log, tokenSource })
          }
          return unlessMalformed(read) ?? []
        }),
      ),
    discoverFromUnknown: logs =>
      logs.flatMap(log =>
        eventsOf(log).flatMap(({ checkShape, discoverFromUnknown }) => {
          const read = () => {
            checkShape(log)
            return discoverFromUnknown?.(log)
          }
          return unlessMalformed(read) ?? []
        }),
      ),
    decode: transaction => {
      const { events, malformed } = decodeEach(transaction, ({ log, source }) =>
        eventsOf(log).flatMap(({ emitter, checkShape, decode }) => {
          const tokenSource = tokenSourceOf(emitter, log.address, source, input)
          if (tokenSource === undefined) return []
          checkShape(log)
          return decode({ log, tokenSource, transaction, at: eventPosition(log, transaction) })
        }),
      )
      return { events: graduationsLast(events), malformed }
    },
    claimCall,
  }
}

/** Topics of the pool types that the mapping names. */
function poolTopics({ events }: MappingInput): readonly Hex[] {
  const types = new Set(entriesOf(events).map(({ mapping }) => mapping['poolType']))
  return [...(types.has('uniswap-v2') ? V2_TOPICS : []), ...(types.has('uniswap-v3') ? V3_TOPICS : [])]
}

/** The token or curve that emitted a log, `null` for a contract that serves all tokens; `undefined` when the log is not this emitter's. */
function tokenSourceOf(
  emitter: Emitter,
  address: Address,
  source: LogSource | undefined,
  { contracts, launchpad }: MappingInput,
): MappedLog['tokenSource'] | undefined {
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
 * Puts the end of a curve after the last trade in the same transaction. Contracts may log the buy that reaches the target after the graduation
 * that it causes, but nothing trades on a curve that has graduated.
 */
function graduationsLast(events: readonly TokenEvent[]): readonly TokenEvent[] {
  if (!events.some(endsCurve)) return events
  const lastTrades = new Map<Address, number>()
  for (const event of events) if (event.kind === 'trade') lastTrades.set(event.token, event.logIndex)
  const kept: TokenEvent[] = []
  const delayed: TokenEvent[] = []
  for (const event of events) {
    const last = lastTrades.get(event.token)
    if (endsCurve(event) && last !== undefined && last > event.logIndex) delayed.push({ ...event, logIndex: last })
    else kept.push(event)
  }
  return [...kept, ...delayed]
}

function endsCurve({ kind }: TokenEvent): boolean {
  return kind === 'completed' || kind === 'migrated'
}
