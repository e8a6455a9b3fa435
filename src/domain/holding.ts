import type { Token } from './token.ts'
import type { ValuedBalance } from './valuedBalance.ts'

export const HOLDING_SORTS = ['value', 'balance', 'lastChanged'] as const
export type HoldingSort = (typeof HOLDING_SORTS)[number]

/** The fields of a token that a wallet shows. */
export interface HeldToken extends Pick<Token, 'address' | 'symbol' | 'name' | 'decimals' | 'imageUrl' | 'launchpad'> {
  readonly priceWeth: string | null
  readonly priceUsd: string | null
}

/** A token that a wallet holds. */
export interface Holding extends ValuedBalance {
  readonly token: HeldToken
  readonly lastChangedBlock: string
}
