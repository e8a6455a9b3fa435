import type { Address } from '#domain/address.ts'
import { poolSource } from '#launchpads/logSource.ts'
import { MalformedLogError } from '#launchpads/malformedLog.ts'
import { type PoolFacts, poolFacts } from '#launchpads/tokenEvent.ts'
import { decimalsOf, type MappedEvent, type MappedLog, type MappingContext, nonZero, tokenReader } from './context.ts'
import { madePool } from './madePool.ts'
import { curveCurrency, quoteTokenReader } from './quoteToken.ts'
import { type Readers, requireReader } from './readers.ts'

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
