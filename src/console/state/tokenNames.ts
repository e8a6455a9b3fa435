import { type ReadonlySignal, signal } from '@preact/signals'
import type { Token } from '#client/generated/types.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { Address } from '#domain/address.ts'

/** Names kept; the oldest are dropped. */
const MAX_NAMES = 1_000
/** Addresses that one request may ask for. */
const MAX_ADDRESSES = 100

export type NamedToken = Pick<Token, 'address' | 'symbol' | 'decimals'>

/** Symbols and decimals of tokens, which trades do not carry. */
export interface TokenNames {
  /** Changes whenever names are learned. */
  readonly known: ReadonlySignal<ReadonlyMap<Address, NamedToken>>
  learn(tokens: readonly NamedToken[]): void
  /** Asks for the names that are not known, in one request. Never rejects; a name that could not be loaded stays unknown. */
  load(addresses: readonly Address[], signal: AbortSignal): Promise<void>
}

export function createTokenNames(client: Pick<Tokenwire, 'tokens'>): TokenNames {
  const known = signal<ReadonlyMap<Address, NamedToken>>(new Map())

  function learn(tokens: readonly NamedToken[]): void {
    const names = [...known.peek(), ...tokens.map(({ address, symbol, decimals }) => [address, { address, symbol, decimals }] as const)]
    known.value = new Map(names.slice(-MAX_NAMES))
  }

  return {
    known,
    learn,
    async load(addresses, signal) {
      const missing = [...new Set(addresses)].filter(address => !known.peek().has(address)).slice(0, MAX_ADDRESSES)
      if (missing.length === 0) return
      const result = await client.tokens({ addresses: missing, limit: MAX_ADDRESSES }, { signal, retries: 0 })
      if (result.ok) learn(result.value.data)
    },
  }
}
