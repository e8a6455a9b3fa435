import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { PoolFacts } from '#launchpads/tokenEvent.ts'
import { MalformedLogError } from '#launchpads/words.ts'
import { decimalsOf, isWethQuoted, type MappedEvent, type MappedLog, type MappingContext, nonZero, tokenReader } from './context.ts'
import { required } from './launch.ts'
import type { Reader, Readers } from './readers.ts'

/** Uniswap's own v2 pools take 0.3 %. */
const UNISWAP_V2_FEE_BPS = 30

/** A pool that the launchpad tells of; a graduation makes it the main one. */
export function poolEvent(readers: Readers, context: MappingContext, isGraduation: boolean): MappedEvent {
  const { launchpad } = context
  const token = tokenReader(readers)
  const address = required(readers.address('pool'))
  const facts = factsReader(readers, context, address)
  return {
    discover: mapped => {
      const pool = facts(mapped.log, token(mapped))
      const tokenDecimals = decimalsOf(context, mapped.source)
      return [{ address: pool.address, watched: { role: 'pool', launchpad, token: token(mapped), pool, tokenDecimals } }]
    },
    announce: log => [address(log)],
    decode: mapped => {
      const at = { ...mapped.at, token: token(mapped) }
      const pool = facts(mapped.log, at.token)
      const created = { ...at, kind: 'poolCreated', pool, main: false } as const
      return isGraduation ? [created, { ...at, kind: 'migrated', pool: pool.address }] : [created]
    },
  }
}

/** The end of trading on a curve. */
export function completeEvent(readers: Readers, context: MappingContext): MappedEvent {
  const token = tokenReader(readers)
  const raised = isWethQuoted(context) ? readers.amount('raised') : null
  return { decode: mapped => [{ ...mapped.at, token: token(mapped), kind: 'completed', raisedWei: raised?.(mapped.log) ?? null }] }
}

function factsReader(readers: Readers, { weth }: MappingContext, pool: Reader<Address>) {
  const type = readers.word('poolType') === 'uniswap-v2' ? 'uniswap-v2' : 'uniswap-v3'
  const fee = readers.bps('poolFeeBps')
  const quote = readers.address('quoteToken')
  return (log: MappedLog['log'], token: Address): PoolFacts & { readonly address: Address } => {
    const named = quote?.(log) ?? weth
    const quoteToken = named === ZERO_ADDRESS ? weth : named
    const address = nonZero(pool(log))
    if (new Set([address, token, quoteToken]).size < 3) throw new MalformedLogError('expected a pool of the token and another one')
    const feeBps = fee?.(log) ?? (type === 'uniswap-v2' ? UNISWAP_V2_FEE_BPS : null)
    return { address, type, quoteToken, quoteDecimals: 18, tokenIsToken0: token < quoteToken, feeBps }
  }
}
