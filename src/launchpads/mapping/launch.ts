import { type Address, type Hex, isEther, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { TEXT_LIMITS } from '#domain/text.ts'
import type { TransactionLogs } from '#launchpads/adapter.ts'
import { type DiscoveredSource, poolSource, tokenSource } from '#launchpads/logSource.ts'
import { MalformedLogError, unlessMalformed } from '#launchpads/malformedLog.ts'
import { type PoolFacts, poolFacts } from '#launchpads/tokenEvent.ts'
import { decodeTransfer, TRANSFER_TOPIC } from '#launchpads/transfer.ts'
import { type MappedEvent, type MappingContext, nonZero } from './context.ts'
import { progressEvents, stateEvents, stateReader, UNKNOWN_STATE } from './curveState.ts'
import { quoteTokenReader } from './quoteToken.ts'
import { MAX_AMOUNT, type Reader, type Readers, requireReader, sharedCurveOf } from './readers.ts'

/** ERC-20 decimals are a `uint8`. */
const MAX_DECIMALS = 255n

export function launchEvent(readers: Readers, context: MappingContext): MappedEvent {
  const { launchpad, weth, isGraduating, feeScope, feesNameToken, feesInEther } = context
  const token = requireReader(readers.address('token'))
  const creator = readers.address('creator')
  const quoteToken = quoteTokenReader(readers, context)
  const decimals = decimalsReader(requireReader(readers.amount('decimals')))
  const curve = curveReader(readers.address('curve'), context)
  const feeBps = readers.bps('feeBps')
  const creatorFeeBps = creatorFeeReader(readers)
  const symbol = readers.text('symbol', TEXT_LIMITS.symbol)
  const name = readers.text('name', TEXT_LIMITS.name)
  const metadataUri = readers.text('metadataUri', TEXT_LIMITS.metadataUri)
  const totalSupply = readers.amount('totalSupply')
  const target = targetReader(readers)
  const state = stateReader(readers)

  const read = (log: ChainLog) => {
    const address = nonZero(token(log))
    if (address === weth) throw new MalformedLogError('expected a new token, got WETH')
    const units = decimals(log)
    const currency = quoteToken?.(log) ?? context.quoteToken
    if (currency === address) throw new MalformedLogError('expected a currency of the curve, got the token')
    return {
      pool: poolFacts(curve(log, address), 'curve', { token: address, quoteToken: currency, feeBps: feeBps?.(log) ?? null }),
      totalSupply: totalSupply?.(log) ?? null,
      state: state?.(log, units) ?? UNKNOWN_STATE,
      launched: {
        token: address,
        ...(creator === null ? ({ creator: ZERO_ADDRESS, bySender: true } as const) : { creator: creator(log) }),
        symbol: symbol?.(log) ?? null,
        name: name?.(log) ?? null,
        decimals: units,
        metadataUri: metadataUri?.(log) ?? null,
        creatorFeeBps: creatorFeeBps?.(log) ?? null,
        graduation: { status: isGraduating ? 'bonding' : 'none', target: target?.(log) ?? null },
      } as const,
    }
  }

  return {
    // Reads every field: a launch that is malformed in any of them must not add sources.
    discover: ({ log }) => {
      const { pool, launched } = read(log)
      return sourcesOf(launchpad, launched.token, pool, launched.decimals)
    },
    decode: ({ log, at: position, transaction }) => {
      const { pool, launched, totalSupply, state } = read(log)
      const at = { ...position, token: launched.token }
      const isPaidInEther = feesInEther || isEther(pool.quoteToken, weth)
      return [
        {
          ...position,
          kind: 'launch',
          launchpad,
          ...launched,
          feesReported: { accrued: feesNameToken && isPaidInEther, claimed: feeScope === 'token' && isPaidInEther },
          ...(totalSupply !== null && !hasMint(transaction, launched.token) && { totalSupply }),
        },
        { ...at, kind: 'poolCreated', pool, main: true, reserves: 'unknown' },
        ...stateEvents(at, pool.address, state),
        ...progressEvents(at, state.raised),
      ]
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

function curveReader(named: Reader<Address> | null, { curvePlace, contracts }: MappingContext): (log: ChainLog, token: Address) => Hex {
  switch (curvePlace) {
    case 'own':
      return log => {
        const curve = nonZero(requireReader(named)(log))
        if (contracts.includes(curve)) throw new MalformedLogError("expected the token's own curve, got a contract that serves all tokens")
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
