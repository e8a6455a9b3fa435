import type { Address, Hex } from './address.ts'

/** A place that a token's creator names beside the token: `website`, `x`, `telegram`, … */
export interface TokenLink {
  readonly kind: string
  /** An `https` address. */
  readonly url: string
}

export interface TokenDocument {
  readonly imageUrl: string | null
  readonly description: string | null
  readonly links: readonly TokenLink[]
}

/** What reading a URI takes: nothing but the text itself, a gateway of the operator's, or a server that the creator names. */
export type MetadataLane = 'local' | 'gateway' | 'web'

export const MAX_ATTEMPTS = 10

export interface MetadataWork {
  /** SHA-256 of the URI. */
  readonly key: Hex
  readonly uri: string
  readonly lane: MetadataLane
  readonly attempts: number
}

export interface MetadataRecord {
  readonly key: Hex
  /** `refused`: not to be tried again. */
  readonly state: 'pending' | 'read' | 'refused'
  readonly attempts: number
  /** Milliseconds until the next attempt; `null`: there is none by itself. */
  readonly retryAfterMs: number | null
  readonly outcome: string
  readonly document: TokenDocument | null
}

/** A token whose URI is read or about to be, and that does not show it yet; `null`: no token waits for that URI any more. */
export interface WaitingToken {
  readonly key: Hex
  readonly token: Address | null
}
