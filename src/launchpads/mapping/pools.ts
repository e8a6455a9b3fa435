import { encodeAbiParameters, encodePacked, getCreate2Address, keccak256, parseAbiParameters } from 'viem/utils'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { PoolType } from '#domain/token.ts'
import { sharedCurveOf } from '#domain/trade.ts'
import { poolSource } from '#launchpads/logSource.ts'
import { type CreatedPool, poolsCreatedBy } from '#launchpads/pools/uniswapV3.ts'
import { type InitializedPool, managedPool, poolsInitialized } from '#launchpads/pools/uniswapV4.ts'
import { type PoolFacts, poolFacts } from '#launchpads/tokenEvent.ts'
import { MalformedLogError } from '#launchpads/words.ts'
import {
  decimalsOf,
  type LogInTransaction,
  type MappedEvent,
  type MappingContext,
  nonZero,
  type Reader,
  type Readers,
  requireReader,
  tokenReader,
} from './readers.ts'
import type { PoolMapping } from './schema.ts'

/** The kinds of pools that a mapping names, as they are served: PancakeSwap's differ from Uniswap's in one event alone. */
const POOL_TYPES: Readonly<Record<string, Exclude<PoolType, 'curve'>>> = {
  'uniswap-v2': 'uniswap-v2',
  'uniswap-v3': 'uniswap-v3',
  'pancakeswap-v3': 'uniswap-v3',
  'uniswap-v4': 'uniswap-v4',
}

/** The fee of every pair of Uniswap's own v2 factory. */
const UNISWAP_V2_FEE_BPS = 30

/** A new pool, which a graduation makes the main one. */
export function poolEvent(readers: Readers, context: MappingContext, isGraduation: boolean): MappedEvent {
  const token = tokenReader(readers)
  const facts = factsReader(readers, context)
  return {
    discover: mapped => {
      const launched = token(mapped)
      return [poolSource(context.launchpad, launched, facts(mapped, launched), decimalsOf(context, mapped.tokenSource))]
    },
    discoverFromUnknown: mapped => {
      const named = readers.made('pool') === null ? readers.address('pool') : null
      if (named !== null) return [named(mapped.log)]
      const unknown = { ...mapped, tokenSource: null, lookup: () => undefined }
      return [facts(unknown, token(unknown)).address]
    },
    decode: mapped => {
      const at = { ...mapped.at, token: token(mapped) }
      const pool = facts(mapped, at.token)
      const created = { ...at, kind: 'poolCreated', pool, main: false } as const
      return isGraduation ? [created, { ...at, kind: 'migrated', pool: pool.address }] : [created]
    },
  }
}

export type FactsReader = (mapped: LogInTransaction, token: Address) => PoolFacts

/** Reads the pool of an event. @param choose picks one of several pools that fit. Default: the nearest to the event */
export function factsReader(readers: Readers, context: MappingContext, choose: ChoosePool = nearest): FactsReader {
  const type = POOL_TYPES[readers.choice('poolType') ?? ''] ?? 'uniswap-v3'
  const made = readers.made('pool')
  if (type === 'uniswap-v4') return managedReader(readers, made, context, choose)
  const { factory, codeHash } = made ?? {}
  if (factory !== undefined && codeHash === undefined) return createdReader(readers, toAddress(factory), context, choose)
  const fee = readers.bps('poolFeeBps')
  const defaultFee = type === 'uniswap-v2' && !readers.has('poolFeeBps') ? UNISWAP_V2_FEE_BPS : null
  const quote = quoteTokenReader(readers, context)
  const named = readers.address('pool')
  return (mapped, token) => {
    const { log } = mapped
    const quoteToken = quote?.(log) ?? curveCurrency(token, mapped, context)
    const feeBps = fee?.(log) ?? defaultFee
    const pool = nonZero(
      made === null ? requireReader(named)(log) : madePool(made, [token, quoteToken], type === 'uniswap-v2' ? null : feeBps),
    )
    if (new Set([pool, token, quoteToken]).size < 3) throw new MalformedLogError('expected a pool of the token and another one')
    return poolFacts(pool, type, { token, quoteToken, feeBps })
  }
}

/** Reads the pool that a v3 factory makes in the event's transaction. */
function createdReader(readers: Readers, factory: Address, context: MappingContext, choose: ChoosePool): FactsReader {
  const fee = readers.bps('poolFeeBps')
  const quote = quoteTokenReader(readers, context)
  return (mapped, token) => {
    const { log, ofTransaction } = mapped
    const [feeBps, quoteToken] = [fee?.(log) ?? null, quote?.(log) ?? null]
    const fits = ({ facts }: CreatedPool) =>
      (feeBps === null || facts.feeBps === feeBps) && (quoteToken === null || facts.quoteToken === quoteToken)
    return choose(poolsCreatedBy(factory, token, ofTransaction()).filter(fits), token, mapped).facts
  }
}

/**
 * Reads the pool inside the PoolManager that the event names by its id, or that is initialised in the event's transaction with the given
 * hook. A pool whose id is named may have been initialised before: its other currency is then that of the mapping or of the curve.
 *
 * @param sought `null`: the event names the id
 */
function managedReader(readers: Readers, sought: PoolMapping | null, context: MappingContext, choose: ChoosePool): FactsReader {
  const { weth, contracts } = context
  const manager = { poolManager: contracts['poolManager'] ?? ZERO_ADDRESS, weth }
  const fee = readers.bps('poolFeeBps')
  const named = readers.address('quoteToken')
  const id = sought === null ? requireReader(readers.id('poolId')) : null
  const hook = sought === null ? null : readers.addressOf(sought.hook ?? ZERO_ADDRESS)
  return (mapped, token) => {
    const { log, ofTransaction } = mapped
    const pools = poolsInitialized(manager, token, ofTransaction())
    const feeBps = fee?.(log) ?? null
    if (id !== null) {
      const key = id(log)
      const currency = named?.(log) ?? (readers.choice('quoteToken') === null ? etherOf(curveCurrency(token, mapped, context), weth) : weth)
      return pools.find(({ facts }) => facts.address === key)?.facts ?? managedPool(key, { token, currency, weth, feeBps })
    }
    const hooks = hook?.(log)
    const fits = (pool: InitializedPool) =>
      pool.hooks === hooks &&
      (feeBps === null || pool.facts.feeBps === feeBps) &&
      (sought?.tickSpacing === undefined || pool.tickSpacing === sought.tickSpacing)
    return choose(pools.filter(fits), token, mapped).facts
  }
}

/** The zero address for WETH: a PoolManager holds ETH itself. */
function etherOf(currency: Address, weth: Address): Address {
  return currency === weth ? ZERO_ADDRESS : currency
}

type ChoosePool = <Pool extends CreatedPool>(pools: readonly Pool[], token: Address, mapped: LogInTransaction) => Pool

/** The last pool before the event, else the first after it. @throws MalformedLogError where there is none */
const nearest: ChoosePool = (pools, _, { log }) => {
  const pool = pools.findLast(({ logIndex }) => logIndex < log.logIndex) ?? pools[0]
  if (pool === undefined) throw new MalformedLogError('expected a new pool of the token in the same transaction')
  return pool
}

/**
 * The pool of a launch. Anybody may make a pool of the token beforehand, whose address can be foretold, but the launchpad makes its own
 * once the token is there.
 */
export const ofLaunch: ChoosePool = (pools, token, mapped) => {
  const { logIndex: since } = mapped.ofTransaction().find(({ address }) => address === token) ?? mapped.log
  const later = pools.filter(({ logIndex }) => logIndex > since)
  return nearest(later.length === 0 ? pools : later, token, mapped)
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
  { factory = ZERO_ADDRESS, codeHash, tickSpacing }: PoolMapping,
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
export function quoteTokenReader(readers: Readers, { weth }: MappingContext): Reader<Address> | null {
  if (readers.choice('quoteToken') === 'weth') return () => weth
  const named = readers.address('quoteToken')
  if (named === null) return null
  return log => {
    const currency = named(log)
    return currency === ZERO_ADDRESS ? weth : currency
  }
}

/** The currency of a token's curve, as far as the mapping's rules let it be unknown to the event. */
function curveCurrency(token: Address, { tokenSource, lookup }: LogInTransaction, { quotePerLaunch, quoteToken }: MappingContext): Address {
  if (!quotePerLaunch) return quoteToken
  const curve = tokenSource ?? lookup(sharedCurveOf(token))
  return curve !== undefined && 'pool' in curve ? curve.pool.quoteToken : quoteToken
}
