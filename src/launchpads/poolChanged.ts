import type { Address, Hex } from '#domain/address.ts'
import type { EventPosition, TokenEvent } from './tokenEvent.ts'

type PoolChanged = Extract<TokenEvent, { kind: 'poolChanged' }>

const NOTHING = { reserves: null, priceWeth: null, concentrated: null, liquidityChange: null } as const

/** A change of a pool, of which a log tells only so much. */
export function poolChanged(
  at: EventPosition & { readonly token: Address },
  pool: Hex,
  told: Partial<Pick<PoolChanged, keyof typeof NOTHING>>,
): PoolChanged {
  return { ...at, kind: 'poolChanged', pool, ...NOTHING, ...told }
}
