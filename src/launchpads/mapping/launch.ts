import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { Discovery, TransactionLogs } from '#launchpads/adapter.ts'
import { TEXT_LIMITS } from '#launchpads/text.ts'
import type { PoolFacts } from '#launchpads/tokenEvent.ts'
import { decodeTransfer, TRANSFER_TOPIC } from '#launchpads/transfer.ts'
import { MalformedLogError } from '#launchpads/words.ts'
import { curveFacts, isWethQuoted, type MappedEvent, type MappingContext, nonZero } from './context.ts'
import { poolChange, progress, stateReader, UNKNOWN_STATE } from './curveState.ts'
import { type Reader, type Readers, sharedCurveOf } from './readers.ts'

/** `smallint` and `10n ** decimals` take more, but a `uint8` is all that ERC-20 knows. */
const MOST_DECIMALS = 255n

/** A token's launch: what it is, the curve on which it trades, and the curve's state where the event tells it. */
export function launchEvent(readers: Readers, context: MappingContext): MappedEvent {
  const { launchpad, weth, isGraduating, feeScope, feesNameToken } = context
  const token = required(readers.address('token'))
  const creator = required(readers.address('creator'))
  const decimals = decimalsReader(required(readers.amount('decimals')))
  const curve = curveReader(readers.address('curve'), context)
  const feeBps = readers.bps('feeBps')
  const creatorFeeBps = creatorFeeReader(readers)
  const symbol = readers.text('symbol', TEXT_LIMITS.symbol)
  const name = readers.text('name', TEXT_LIMITS.name)
  const metadataUri = readers.text('metadataUri', TEXT_LIMITS.metadataUri)
  const totalSupply = readers.amount('totalSupply')
  const target = isWethQuoted(context) ? readers.amount('target') : null
  const state = stateReader(readers, context)

  const read = (log: ChainLog) => {
    const address = nonZero(token(log))
    if (address === weth) throw new MalformedLogError('WETH is not launched')
    const units = decimals(log)
    return {
      pool: curveFacts(curve(log, address), address, feeBps?.(log) ?? null, context),
      totalSupply: totalSupply?.(log) ?? null,
      state: state?.(log, units) ?? UNKNOWN_STATE,
      launched: {
        token: address,
        creator: creator(log),
        symbol: symbol?.(log) ?? null,
        name: name?.(log) ?? null,
        decimals: units,
        metadataUri: metadataUri?.(log) ?? null,
        creatorFeeBps: creatorFeeBps?.(log) ?? null,
        graduation: { status: isGraduating ? 'bonding' : 'none', targetWei: target?.(log) ?? null },
      } as const,
    }
  }

  return {
    // All of it is read: what does not fit announces nothing.
    discover: ({ log }) => discoveries(read(log), launchpad),
    decode: ({ log, at: position, transaction }) => {
      const { pool, launched, totalSupply, state } = read(log)
      const at = { ...position, token: launched.token }
      return [
        {
          ...position,
          kind: 'launch',
          launchpad,
          ...launched,
          feesTold: { accrued: feesNameToken, claimed: feeScope === 'token' },
          ...(totalSupply !== null && !mints(transaction, launched.token) && { totalSupply }),
        },
        { ...at, kind: 'poolCreated', pool, main: true, reserves: 'unknown' },
        ...poolChange(at, pool.address, state),
        ...progress(at, state.raisedWei),
      ]
    },
  }
}

/** Every kind's required fields are checked before its events are made. */
export function required<T>(reader: T | null): T {
  if (reader === null) throw new TypeError('a required field has no reader')
  return reader
}

function decimalsReader(decimals: Reader<bigint>): Reader<number> {
  return log => {
    const value = decimals(log)
    if (value > MOST_DECIMALS) throw new MalformedLogError(`expected at most ${MOST_DECIMALS} decimals`)
    return Number(value)
  }
}

function curveReader(named: Reader<Address> | null, { curvePlace, contracts }: MappingContext): (log: ChainLog, token: Address) => Hex {
  switch (curvePlace) {
    case 'own':
      return log => {
        const curve = nonZero(required(named)(log))
        if (contracts.includes(curve)) throw new MalformedLogError("expected the token's own curve, got a contract for all tokens")
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

interface Announced {
  readonly pool: PoolFacts
  readonly launched: { readonly token: Address; readonly decimals: number }
}

function discoveries({ pool, launched: { token, decimals: tokenDecimals } }: Announced, launchpad: string): readonly Discovery[] {
  const { address } = pool
  if (address === token) return [{ address: token, watched: { role: 'tokenCurve', launchpad, token, pool, tokenDecimals } }]
  const itself: Discovery = { address: token, watched: { role: 'token', launchpad, token } }
  // A curve inside a contract for all tokens has no logs of its own to watch.
  if (address === sharedCurveOf(token)) return [itself]
  return [itself, { address, watched: { role: 'pool', launchpad, token, pool, tokenDecimals } }]
}

/** Whether the token tells of its supply itself. */
function mints({ logs }: TransactionLogs, token: Address): boolean {
  return logs.some(({ log }) => {
    if (log.address !== token || log.topics[0] !== TRANSFER_TOPIC) return false
    try {
      return decodeTransfer(log).from === ZERO_ADDRESS
    } catch (error) {
      // Counted where transfers are decoded for their own sake.
      if (!(error instanceof MalformedLogError)) throw error
      return false
    }
  })
}
