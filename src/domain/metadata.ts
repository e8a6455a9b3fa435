import type { Address, Hex } from './address.ts'

export const LINK_KINDS = ['website', 'x', 'telegram', 'discord', 'farcaster', 'github', 'other'] as const

export type LinkKind = (typeof LINK_KINDS)[number]

/** A link that a token's creator publishes with the token. */
export interface TokenLink {
  readonly kind: LinkKind
  /** An `https` address, at most 256 characters of ASCII. */
  readonly url: string
}

export interface TokenDocument {
  readonly imageUrl: string | null
  readonly description: string | null
  readonly links: readonly TokenLink[]
}

/** Where a URI is read from: its own text, a gateway of the operator, or a server that the creator names. */
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
  /** Milliseconds until the next attempt; `null`: none is scheduled. */
  readonly retryAfterMs: number | null
  readonly outcome: string
  readonly document: TokenDocument | null
}

/** A token that does not yet show the document of its URI, which has been or is being read; `null`: no token waits for the URI any more. */
export interface WaitingToken {
  readonly key: Hex
  readonly token: Address | null
}
