import { type Address, isEther, ZERO_ADDRESS } from '#domain/address.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import { type MappedEvent, type MappingContext, tokenReader } from './context.ts'
import { type Reader, type Readers, requireReader } from './readers.ts'

export function feeEvent(readers: Readers, context: MappingContext, isClaim: boolean, isTokenKnown: boolean): MappedEvent {
  const { launchpad, feeScope, weth } = context
  const token = isTokenKnown ? tokenReader(readers) : null
  const creator = requireReader(readers.address('creator'))
  const amount = requireReader(readers.amount('amount'))
  const currency = currencyReader(readers, weth)
  const scope = feeScope ?? 'token'
  return {
    decode: mapped => {
      const { log, at } = mapped
      const ofToken = token?.(mapped) ?? ZERO_ADDRESS
      const [accrued, claimed] = isClaim ? [0n, amount(log)] : [amount(log), 0n]
      const paidIn = currency(log)
      const fee: TokenEvent = {
        ...at,
        token: scope === 'token' ? ofToken : ZERO_ADDRESS,
        kind: 'creatorFee',
        launchpad,
        creator: creator(log),
        currency: paidIn,
        scope,
        accrued,
        claimed,
      }
      const isShare = scope === 'creator' && !isClaim && ofToken !== ZERO_ADDRESS && isEther(paidIn, weth)
      return isShare ? [fee, { ...at, token: ofToken, kind: 'creatorShare', accruedWei: accrued }] : [fee]
    },
  }
}

function currencyReader(readers: Readers, weth: Address): Reader<Address> {
  const choice = readers.choice('currency')
  if (choice === null) return requireReader(readers.address('currency'))
  const currency = choice === 'weth' ? weth : ZERO_ADDRESS
  return () => currency
}
