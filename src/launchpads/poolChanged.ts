import type { Hex } from '#domain/address.ts'
import type { TokenEventOf, TokenEventPosition } from './tokenEvent.ts'

const UNCHANGED = { reserves: null, priceWeth: null, concentrated: null, liquidityChange: null } as const

/** A change of a pool's state, of which a log reports some fields. */
export function poolChanged(
  at: TokenEventPosition,
  pool: Hex,
  change: Partial<Pick<TokenEventOf<'poolChanged'>, keyof typeof UNCHANGED>>,
): TokenEventOf<'poolChanged'> {
  return { ...at, kind: 'poolChanged', pool, ...UNCHANGED, ...change }
}
