import type { Address } from '#domain/address.ts'
import { poolSource } from '#launchpads/logSource.ts'
import { MalformedLogError } from '#launchpads/malformedLog.ts'
import { type PoolFacts, poolFacts } from '#launchpads/tokenEvent.ts'
import { decimalsOf, type MappedEvent, type MappedLog, type MappingContext, nonZero, tokenReader } from './context.ts'
import { curveCurrency, quoteTokenReader } from './quoteToken.ts'
import { type Reader, type Readers, requireReader } from './readers.ts'

/** The fee of every pair of Uniswap's own v2 factory. */
const UNISWAP_V2_FEE_BPS = 30

/** A new pool, which a graduation makes the main one. */
export function poolEvent(readers: Readers, context: MappingContext, isGraduation: boolean): MappedEvent {
  const token = tokenReader(readers)
  const address = requireReader(readers.address('pool'))
  const facts = factsReader(readers, context, address)
  return {
    discover: mapped => {
      const launched = token(mapped)
      return [poolSource(context.launchpad, launched, facts(mapped, launched), decimalsOf(context, mapped.tokenSource))]
    },
    discoverFromUnknown: ({ log }) => [address(log)],
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

function factsReader(readers: Readers, context: MappingContext, pool: Reader<Address>): FactsReader {
  const type = readers.choice('poolType') === 'uniswap-v2' ? 'uniswap-v2' : 'uniswap-v3'
  const fee = readers.bps('poolFeeBps')
  const defaultFee = type === 'uniswap-v2' && !readers.has('poolFeeBps') ? UNISWAP_V2_FEE_BPS : null
  const quote = quoteTokenReader(readers, context)
  return (mapped, token) => {
    const { log } = mapped
    const quoteToken = quote?.(log) ?? curveCurrency(token, mapped, context)
    const address = nonZero(pool(log))
    if (new Set([address, token, quoteToken]).size < 3) throw new MalformedLogError('expected a pool of the token and another one')
    const feeBps = fee?.(log) ?? defaultFee
    return poolFacts(address, type, { token, quoteToken, feeBps })
  }
}
