import type { Address } from './address.ts'

/** What an account holds, has traded and has created, over all tokens. */
export interface Wallet {
  readonly address: Address
  /** `null`, like the value below: more tokens than are counted (`MAX_HOLDINGS`). */
  readonly tokensHeld: number | null
  /** The value of the held tokens that have a price; `null` also where none of them has one. */
  readonly valueWeth: string | null
  readonly valueUsd: string | null
  readonly trades: number
  readonly tokensTraded: number
  /** The volume of the trades whose value is known. */
  readonly volumeWeth: string
  /** The profit of the traded tokens whose profit is known; `null`: there are none. */
  readonly realizedWeth: string | null
  readonly realizedUsd: string | null
  /** How many traded tokens `realizedWeth` leaves out. */
  readonly tokensWithoutWethProfit: number
  /** The same for `realizedUsd`. */
  readonly tokensWithoutUsdProfit: number
  readonly tokensCreated: number
  /** The time of its first trade or launch; `null`: it has neither. */
  readonly firstSeenAt: string | null
  readonly lastSeenAt: string | null
  readonly asOfBlock: string | null
}
