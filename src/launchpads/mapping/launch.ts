import { encodeAbiParameters, encodePacked, getCreate2Address, keccak256, parseAbiParameters } from 'viem/utils'
import { type Address, type Hex, isEther, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
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
import {
  decimalsOf,
  MAX_AMOUNT,
  type MappedEvent,
  type MappedLog,
  type MappingContext,
  nonZero,
  type Reader,
  type Readers,
  requireReader,
  tokenReader,
} from './readers.ts'
import type { PoolMapping } from './schema.ts'
import { progressEvents, stateEvents, stateReader, UNKNOWN_STATE } from './trade.ts'

/** ERC-20 decimals are a `uint8`. */
const MAX_DECIMALS = 255n

export function launchEvent(readers: Readers, context: MappingContext): MappedEvent {
  const { launchpad, weth } = context
  const token = requireReader(readers.address('token'))
  const decimals = decimalsReader(requireReader(readers.amount('decimals')))
  const curve = curveReader(readers.address('curve'), context)
  const feeBps = readers.bps('feeBps')
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
  const read = (log: ChainLog, answers: readonly CallAnswer[]) => {
    const address = nonZero(token(log))
    if (address === weth) throw new MalformedLogError('expected a new token, got WETH')
    const units = decimals(log)
    const currency = quoteToken(log, answers)
    if (currency === address) throw new MalformedLogError('expected a currency of the curve, got the token')
    const by = creator(log, answers)
    return {
      isReadable: (by !== null || !calls.has('creator')) && (currency !== null || !calls.has('quoteToken')),
      pool: poolFacts(curve(log, address), 'curve', {
        token: address,
        quoteToken: currency ?? context.quoteToken,
        feeBps: feeBps?.(log) ?? null,
      }),
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
        graduation: { status: context.isGraduating ? 'bonding' : 'none', target: target(log, answers) },
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
    discover: ({ log }) => {
      const { pool, launched } = read(log, [])
      return sourcesOf(launchpad, launched.token, pool, launched.decimals)
    },
    decode: ({ log, at: position, transaction }) => {
      const announced = read(log, [])
      const { launched, pool } = announced
      const supply = announced.totalSupply !== null && hasMint(transaction, launched.token) ? null : announced.totalSupply
      const events = eventsOf(announced, position, supply)
      const asked = calls.of(launched.token, pool.address, log)
      if (asked.length === 0) return events
      const complete: UnreadLaunch['complete'] = (answers, minted) => {
        const launch = unlessMalformed(() => read(log, answers))
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

/** The fee of every pair of Uniswap's own v2 factory. */
const UNISWAP_V2_FEE_BPS = 30

/** A new pool, which a graduation makes the main one. */
export function poolEvent(readers: Readers, context: MappingContext, isGraduation: boolean): MappedEvent {
  const token = tokenReader(readers)
  const facts = factsReader(readers, context)
  const named = readers.address('pool')
  return {
    discover: mapped => {
      const launched = token(mapped)
      return [poolSource(context.launchpad, launched, facts(mapped, launched), decimalsOf(context, mapped.tokenSource))]
    },
    discoverFromUnknown: ({ log }) => {
      if (named !== null) return [named(log)]
      const mapped = { log, tokenSource: null, lookup: () => undefined }
      return [facts(mapped, token(mapped)).address as Address]
    },
    decode: mapped => {
      const at = { ...mapped.at, token: token(mapped) }
      const pool = facts(mapped, at.token)
      const created = { ...at, kind: 'poolCreated', pool, main: false } as const
      return isGraduation ? [created, { ...at, kind: 'migrated', pool: pool.address }] : [created]
    },
  }
}

export function completeEvent(readers: Readers): MappedEvent {
  const token = tokenReader(readers)
  const raised = readers.amount('raised')
  return { decode: mapped => [{ ...mapped.at, token: token(mapped), kind: 'completed', raised: raised?.(mapped.log) ?? null }] }
}

type FactsReader = (mapped: Pick<MappedLog, 'log' | 'tokenSource' | 'lookup'>, token: Address) => PoolFacts

function factsReader(readers: Readers, context: MappingContext): FactsReader {
  const type = readers.choice('poolType') === 'uniswap-v2' ? 'uniswap-v2' : 'uniswap-v3'
  const fee = readers.bps('poolFeeBps')
  const defaultFee = type === 'uniswap-v2' && !readers.has('poolFeeBps') ? UNISWAP_V2_FEE_BPS : null
  const quote = quoteTokenReader(readers, context)
  const named = readers.address('pool')
  const made = readers.made('pool')
  return (mapped, token) => {
    const { log } = mapped
    const quoteToken = quote?.(log) ?? curveCurrency(token, mapped, context)
    const feeBps = fee?.(log) ?? defaultFee
    const address = nonZero(
      made === null ? requireReader(named)(log) : madePool(made, [token, quoteToken], type === 'uniswap-v2' ? null : feeBps),
    )
    if (new Set([address, token, quoteToken]).size < 3) throw new MalformedLogError('expected a pool of the token and another one')
    return poolFacts(address, type, { token, quoteToken, feeBps })
  }
}

const V3_TERMS = parseAbiParameters('address, address, uint24')
const SPACING_TERMS = parseAbiParameters('address, address, int24')
/** Uniswap counts fees in hundredths of a basis point. */
const PIPS_PER_BPS = 100

/**
 * The address of the pool that a factory makes of two currencies, in either order: by EIP-1014, from the salt of Uniswap's v2 and v3
 * factories (UniswapV2Factory.sol, UniswapV3PoolDeployer.sol), which their forks have kept. Slipstream's (CLFactory.sol) has the tick
 * spacing in the fee's place.
 *
 * @param feeBps of a v3 pool; `null`: a v2 pair, or a pool that its tick spacing tells
 */
export function madePool(
  { factory, codeHash, tickSpacing }: PoolMapping,
  currencies: readonly [Address, Address],
  feeBps: number | null,
): Address {
  const [first, second] = currencies.toSorted() as [Address, Address]
  const packed = () =>
    feeBps === null
      ? encodePacked(['address', 'address'], [first, second])
      : encodeAbiParameters(V3_TERMS, [first, second, Math.round(feeBps * PIPS_PER_BPS)])
  const salt = keccak256(tickSpacing === undefined ? packed() : encodeAbiParameters(SPACING_TERMS, [first, second, tickSpacing]))
  return toAddress(getCreate2Address({ from: toAddress(factory), salt, bytecodeHash: codeHash as Hex }))
}

/** Reads the field `quoteToken`, with WETH for ETH; `null` where the mapping leaves it out. */
function quoteTokenReader(readers: Readers, { weth }: MappingContext): Reader<Address> | null {
  if (readers.choice('quoteToken') === 'weth') return () => weth
  const named = readers.address('quoteToken')
  if (named === null) return null
  return log => {
    const currency = named(log)
    return currency === ZERO_ADDRESS ? weth : currency
  }
}

/** The currency of a token's curve, as far as the mapping's rules let it be unknown to the event. */
function curveCurrency(
  token: Address,
  { tokenSource, lookup }: Pick<MappedLog, 'tokenSource' | 'lookup'>,
  { quotePerLaunch, quoteToken }: MappingContext,
): Address {
  if (!quotePerLaunch) return quoteToken
  const curve = tokenSource ?? lookup(sharedCurveOf(token))
  return curve !== undefined && 'pool' in curve ? curve.pool.quoteToken : quoteToken
}
