import type { Address } from './address.ts'

/** What an account holds, has traded and has created, over all tokens. */
export interface Wallet {
  readonly address: Address
  /** `null`, as the value: more tokens than are counted (`MAX_HOLDINGS`). */
  readonly tokensHeld: number | null
  /** Of the held tokens that have a price; `null` also where none of them has one. */
  readonly valueWeth: string | null
  readonly valueUsd: string | null
  readonly trades: number
  readonly tokensTraded: number
  /** Of the trades whose worth is known. */
  readonly volumeWeth: string
  /** The profit of the traded tokens whose profit is known; `null`: there are none. */
  readonly realizedWeth: string | null
  readonly realizedUsd: string | null
  /** How many traded tokens `realizedWeth` leaves out. */
  readonly tokensWithoutWethProfit: number
  /** The same of `realizedUsd`. */
  readonly tokensWithoutUsdProfit: number
  readonly tokensCreated: number
  /** Of its first trade or launch; `null`: it has neither. */
  readonly firstSeenAt: string | null
  readonly lastSeenAt: string | null
  readonly asOfBlock: string | null
}
