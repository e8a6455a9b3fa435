import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import { type MappedEvent, type MappingContext, tokenReader } from './context.ts'
import { required } from './launch.ts'
import type { Reader, Readers } from './readers.ts'

/** A creator's fees entering or leaving the escrow. */
export function feeEvent(readers: Readers, context: MappingContext, isClaim: boolean, knowsToken: boolean): MappedEvent {
  const { launchpad, feeScope, weth } = context
  const token = knowsToken ? tokenReader(readers) : null
  const creator = required(readers.address('creator'))
  const amount = required(readers.amount('amount'))
  const currency = currencyReader(readers, weth)
  const scope = feeScope ?? 'token'
  return {
    decode: mapped => {
      const { log } = mapped
      const of = token?.(mapped) ?? ZERO_ADDRESS
      const [accrued, claimed] = isClaim ? [0n, amount(log)] : [amount(log), 0n]
      const paidIn = currency(log)
      const fee: TokenEvent = {
        ...mapped.at,
        token: scope === 'token' ? of : ZERO_ADDRESS,
        kind: 'creatorFee',
        launchpad,
        creator: creator(log),
        currency: paidIn,
        scope,
        accrued,
        claimed,
      }
      const isShare = scope === 'creator' && !isClaim && of !== ZERO_ADDRESS && (paidIn === weth || paidIn === ZERO_ADDRESS)
      return isShare ? [fee, { ...mapped.at, token: of, kind: 'creatorShare', accruedWei: accrued }] : [fee]
    },
  }
}

function currencyReader(readers: Readers, weth: Address): Reader<Address> {
  const word = readers.word('currency')
  if (word === null) return required(readers.address('currency'))
  const fixed = word === 'weth' ? weth : ZERO_ADDRESS
  return () => fixed
}
