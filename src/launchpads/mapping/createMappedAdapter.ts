import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { decodeEach, type LaunchpadAdapter } from '#launchpads/adapter.ts'
import { type DiscoveredSource, type LogSource, withoutRepeatedLaunches } from '#launchpads/logSource.ts'
import { unlessMalformed } from '#launchpads/malformedLog.ts'
import { V2_TOPICS } from '#launchpads/pools/uniswapV2.ts'
import { V3_TOPICS } from '#launchpads/pools/uniswapV3.ts'
import { eventPosition, type TokenEvent } from '#launchpads/tokenEvent.ts'
import { compileMapping } from './compile.ts'
import type { MappedLog } from './context.ts'
import { entriesOf, type MappingInput } from './entries.ts'
import type { Emitter } from './kinds.ts'
import { statesWithTrades } from './stateOrder.ts'

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
          if (tokenSource !== undefined) found.push(unlessMalformed(() => discover?.({ log, tokenSource, lookup })) ?? [])
        }
      }
      return withoutRepeatedLaunches(found, lookup)
    },
    discoverFromUnknown: logs =>
      logs.flatMap(log => eventsOf(log).flatMap(event => unlessMalformed(() => event.discoverFromUnknown?.({ log })) ?? [])),
    decode: (transaction, lookup) => {
      const states = new Set<TokenEvent>()
      const { events, malformed } = decodeEach(transaction, ({ log, source }) => {
        const decoded: TokenEvent[] = []
        for (const { emitter, decode, followsTrade } of eventsOf(log)) {
          const tokenSource = tokenSourceOf(emitter, log.address, source, input)
          if (tokenSource === undefined) continue
          const ofEvent = decode({ log, tokenSource, transaction, lookup, at: eventPosition(log, transaction) })
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
  return [...(types.has('uniswap-v2') ? V2_TOPICS : []), ...(types.has('uniswap-v3') ? V3_TOPICS : [])]
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
