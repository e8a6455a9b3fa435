import { unwrap } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import type { RestApi } from '#client/generated/restMethods.ts'
import type { Token } from '#client/generated/types.ts'
import type { Reading, ReadingOptions } from '#client/reading.ts'
import type { Address } from '#domain/address.ts'

/** Addresses per request: servers answer 505 to some request lines that take more than one TCP segment (decision 0026). */
const BATCH = 20

/** How often all watched tokens are read, a quarter more or less: a stream may have missed a state. */
const ALL_MS = 60_000

/** How often tokens without a stream are read. */
const POLL_MS = 5_000

/** Clients that lost the same server spread their requests over this time after they reconnected. */
const SPREAD_MS = 5_000

export interface TokenSource {
  readonly watched: () => Iterable<Address>
  /** Tokens that nothing but REST brings. */
  readonly withoutStream: () => readonly Address[]
  readonly take: (token: Token) => void
}

/** Reads the states of watched tokens over REST, in batches. */
export interface TokenReader {
  /** Begins to read them periodically, while something is watched. */
  start(): void
  soon(tokens: Iterable<Address>, spreadMs?: number): void
  stop(): void
}

export function createTokenReader(
  { random, onError }: Pick<ClientContext, 'random' | 'onError'>,
  api: Pick<RestApi, 'tokens'>,
  startReading: (options: ReadingOptions) => Reading,
  { watched, withoutStream, take }: TokenSource,
): TokenReader {
  const due = new Set<Address>()
  let reading: Reading | null = null

  async function read(): Promise<void> {
    const polled = withoutStream()
    if (due.size === 0) for (const token of polled.length > 0 ? polled : watched()) due.add(token)
    while (due.size > 0) {
      const addresses = [...due].slice(0, BATCH)
      for (const address of addresses) due.delete(address)
      const { data } = unwrap(await api.tokens({ addresses, limit: BATCH }, { retries: 1 }))
      for (const token of data) take(token)
    }
  }

  return {
    start() {
      reading ??= startReading({
        read: () =>
          read().catch((error: unknown) => {
            // The next read is of all tokens.
            due.clear()
            throw error
          }),
        isFollowed: () => false,
        failed: onError,
        periodMs: () => (withoutStream().length > 0 ? POLL_MS : ALL_MS),
        patienceMs: ALL_MS,
      })
    },
    soon(tokens, spreadMs = SPREAD_MS) {
      for (const token of tokens) due.add(token)
      if (due.size > 0) reading?.read(random() * spreadMs)
    },
    stop() {
      reading?.stop()
      reading = null
      due.clear()
    },
  }
}
