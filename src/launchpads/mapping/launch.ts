import { type Address, type Hex, isEther, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { CallAnswer } from '#domain/contractCall.ts'
import { TEXT_LIMITS } from '#domain/text.ts'
import { sharedCurveOf } from '#domain/trade.ts'
import type { TransactionLogs } from '#launchpads/adapter.ts'
import { type DiscoveredSource, poolSource, tokenSource } from '#launchpads/logSource.ts'
import { decodeTransfer, TRANSFER_TOPIC } from '#launchpads/maker.ts'
import {
  type EventPosition,
  type PoolFacts,
  poolFacts,
  type TokenEvent,
  type TokenEventOf,
  type UnreadLaunch,
} from '#launchpads/tokenEvent.ts'
import { MalformedLogError, unlessMalformed } from '#launchpads/words.ts'
import { createLaunchCalls } from './calls.ts'
import { KINDS } from './kinds.ts'
import { factsReader, ofLaunch, quoteTokenReader } from './pools.ts'
import {
  type LogInTransaction,
  MAX_AMOUNT,
  type MappedEvent,
  type MappingContext,
  nonZero,
  type Reader,
  type Readers,
  requireReader,
  tokenReader,
} from './readers.ts'
import { progressEvents, stateEvents, stateReader, UNKNOWN_STATE } from './trade.ts'

/** ERC-20 decimals are a `uint8`. */
const MAX_DECIMALS = 255n

export function launchEvent(readers: Readers, context: MappingContext): MappedEvent {
  const { launchpad, weth } = context
  const token = requireReader(readers.address('token'))
  const decimals = decimalsReader(requireReader(readers.amount('decimals')))
  const facts = marketReader(readers, context)
  const launchesIntoPool = readers.has('poolType')
  const creatorFeeBps = creatorFeeReader(readers)
  const state = stateReader(readers)
  const calls = createLaunchCalls(readers, KINDS.launch.fields, context)
  const creator = calls.field('creator', from => from.address('creator'))
  const quoteToken = calls.field('quoteToken', from => quoteTokenReader(from, context))
  const symbol = calls.field('symbol', from => from.text('symbol', TEXT_LIMITS.symbol))
  const name = calls.field('name', from => from.text('name', TEXT_LIMITS.name))
  const metadataUri = calls.field('metadataUri', from => from.text('metadataUri', TEXT_LIMITS.metadataUri))
  const totalSupply = calls.field('totalSupply', from => from.amount('totalSupply'))
  const target = calls.field('target', targetReader)

  /** @param answers none: of a token that is only announced */
  const read = (mapped: LogInTransaction, answers: readonly CallAnswer[]) => {
    const { log } = mapped
    const address = nonZero(token(log))
    if (address === weth) throw new MalformedLogError('expected a new token, got WETH')
    const units = decimals(log)
    const currency = quoteToken(log, answers)
    if (currency === address) throw new MalformedLogError('expected a currency of the curve, got the token')
    const by = creator(log, answers)
    return {
      isReadable: (by !== null || !calls.has('creator')) && (currency !== null || !calls.has('quoteToken')),
      pool: facts(mapped, address, currency ?? context.quoteToken),
      totalSupply: totalSupply(log, answers),
      state: state?.(log, units) ?? UNKNOWN_STATE,
      launched: {
        token: address,
        ...(by === null ? ({ creator: ZERO_ADDRESS, bySender: true } as const) : { creator: by }),
        symbol: symbol(log, answers),
        name: name(log, answers),
        decimals: units,
        metadataUri: metadataUri(log, answers),
        creatorFeeBps: creatorFeeBps?.(log) ?? null,
        graduation: { status: context.isGraduating && !launchesIntoPool ? 'bonding' : 'none', target: target(log, answers) },
      } as const,
    }
  }

  const eventsOf = (
    { launched, pool, state }: ReturnType<typeof read>,
    position: EventPosition,
    totalSupply: bigint | null,
  ): readonly [TokenEventOf<'launch'>, ...TokenEvent[]] => {
    const at = { ...position, token: launched.token }
    const isPaidInEther = context.feesInEther || isEther(pool.quoteToken, weth)
    const feesReported = {
      accrued: context.feesNameToken && isPaidInEther,
      claimed: context.feeScope === 'token' && isPaidInEther,
    }
    return [
      { ...position, kind: 'launch', launchpad, ...launched, feesReported, ...(totalSupply !== null && { totalSupply }) },
      { ...at, kind: 'poolCreated', pool, main: true },
      ...stateEvents(at, pool.address, state),
      ...progressEvents(at, state.raised),
    ]
  }

  return {
    // Reads every field: a launch that is malformed in any of them must not add sources.
    discover: mapped => {
      const { pool, launched } = read(mapped, [])
      return sourcesOf(launchpad, launched.token, pool, launched.decimals)
    },
    decode: mapped => {
      const { log, at: position, transaction } = mapped
      const announced = read(mapped, [])
      const { launched, pool } = announced
      const supply = announced.totalSupply !== null && hasMint(transaction, launched.token) ? null : announced.totalSupply
      const events = eventsOf(announced, position, supply)
      const asked = calls.of(launched.token, pool.address, log)
      if (asked.length === 0) return events
      const complete: UnreadLaunch['complete'] = (answers, minted) => {
        const launch = unlessMalformed(() => read(mapped, answers))
        if (launch === null || !launch.isReadable) return []
        if (!calls.has('totalSupply')) return eventsOf(launch, position, supply)
        // Counts what no transfer shows: the transfers of the block are added to it.
        const unseen = launch.totalSupply === null ? 0n : launch.totalSupply - minted
        return eventsOf(launch, position, unseen > 0n ? unseen : null)
      }
      return [{ ...events[0], unread: { calls: asked, complete } }]
    },
  }
}

/** Reads what the curve is to raise. On a curve of constant product it follows from the tokens that are left at the end. */
function targetReader(readers: Readers): Reader<bigint> | null {
  const left = readers.amount('targetToken')
  if (left === null) return readers.amount('target')
  const [quote, token] = [requireReader(readers.amount('virtualQuote')), requireReader(readers.amount('virtualToken'))]
  return log => {
    const [before, after] = [quote(log), left(log)]
    const raised = after === 0n ? -1n : (before * token(log) + after - 1n) / after - before
    if (raised < 0n || raised > MAX_AMOUNT) throw new MalformedLogError('expected fewer tokens at the end than at the launch')
    return raised
  }
}

function decimalsReader(decimals: Reader<bigint>): Reader<number> {
  return log => {
    const value = decimals(log)
    if (value > MAX_DECIMALS) throw new MalformedLogError(`expected at most ${MAX_DECIMALS} decimals`)
    return Number(value)
  }
}

/** Reads where the token trades from its launch on: on its curve, or in a pool. */
function marketReader(
  readers: Readers,
  context: MappingContext,
): (mapped: LogInTransaction, token: Address, quoteToken: Address) => PoolFacts {
  if (readers.has('poolType')) {
    const facts = factsReader(readers, context, ofLaunch)
    return (mapped, token) => facts(mapped, token)
  }
  const curve = curveReader(readers.address('curve'), context)
  const fee = readers.bps('feeBps')
  return ({ log }, token, quoteToken) => poolFacts(curve(log, token), 'curve', { token, quoteToken, feeBps: fee?.(log) ?? null })
}

function curveReader(
  named: Reader<Address> | null,
  { curvePlace, contracts, moreFactories }: MappingContext,
): (log: ChainLog, token: Address) => Hex {
  switch (curvePlace) {
    case 'own':
      return log => {
        const curve = nonZero(requireReader(named)(log))
        if (Object.values(contracts).includes(curve) || moreFactories.includes(curve))
          throw new MalformedLogError("expected the token's own curve, got a contract that serves all tokens")
        return curve
      }
    case 'token':
      return (_, token) => token
    case 'shared':
      return (_, token) => sharedCurveOf(token)
  }
}

function creatorFeeReader(readers: Readers): Reader<number> | null {
  const creatorFee = readers.bps('creatorFeeBps')
  if (creatorFee !== null) return creatorFee
  const [fee, share] = [readers.bps('feeBps'), readers.bps('creatorShareBps')]
  return fee === null || share === null ? null : log => (fee(log) * share(log)) / 10_000
}

function sourcesOf(launchpad: string, token: Address, pool: PoolFacts, tokenDecimals: number): readonly DiscoveredSource[] {
  if (pool.address === token) return [{ key: token, source: { role: 'tokenCurve', launchpad, token, pool, tokenDecimals } }]
  return [tokenSource(launchpad, token), poolSource(launchpad, token, pool, tokenDecimals)]
}

function hasMint({ logs }: TransactionLogs, token: Address): boolean {
  return logs.some(
    ({ log }) =>
      log.address === token && log.topics[0] === TRANSFER_TOPIC && unlessMalformed(() => decodeTransfer(log).from) === ZERO_ADDRESS,
  )
}

export function completeEvent(readers: Readers): MappedEvent {
  const token = tokenReader(readers)
  const raised = readers.amount('raised')
  return { decode: mapped => [{ ...mapped.at, token: token(mapped), kind: 'completed', raised: raised?.(mapped.log) ?? null }] }
}
