import type { Address, Hex } from '#domain/address.ts'
import { sharedCurveOf } from '#domain/sharedCurve.ts'
import type { MappedLog, MappingContext } from './context.ts'
import type { Readers } from './readers.ts'

/** Reads the key of the curve that an event of a token is about. */
export function curvePoolReader(readers: Readers, { curvePlace }: MappingContext): (mapped: Pick<MappedLog, 'log'>, token: Address) => Hex {
  const named = readers.address('curve')
  switch (curvePlace) {
    case 'own':
      return ({ log }) => named?.(log) ?? log.address
    case 'token':
      return (_, token) => token
    case 'shared':
      return (_, token) => sharedCurveOf(token)
  }
}
