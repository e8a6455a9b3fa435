import type { Logger } from 'pino'
import { createStateActors, type StateActors } from '#actors/states/stateActors.ts'
import type { Address } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import { encodeListRows } from '#protocol/encodeListRows.ts'
import { MAX_LIST_ROWS } from '#protocol/limits.ts'
import type { Page } from '#resources/resource.ts'
import type { Token } from '#resources/token.ts'
import { withUsd } from '#resources/token.ts'
import type { TokenCursor, TokensQuery, TokensRequest } from '#resources/tokens.ts'
import { tokensInWeth } from '#resources/tokensInWeth.ts'
import { MAX_LIST_MESSAGES, WatchedList } from './watchedList.ts'

/** With 1,000 lists, which take 5 s, each is at most some ten seconds old; up to 200 of them are read at once. */
const READ_SHARE = 0.5
const READ_BURST_MS = 1_000

export interface ListsOptions {
  readonly read: (query: TokensQuery) => Promise<Page<Token, TokenCursor>>
  /** The number of tokens that the query's filters let through; `null`: more than are counted. */
  readonly count: (query: TokensQuery) => Promise<number | null>
  /** USD per ETH as a plain decimal; `null`: no price may be shown. */
  readonly ethUsd: () => string | null
  readonly logger: Logger
  /** Milliseconds since the epoch. */
  readonly epochMs: () => number
  /** `monotonicMs`. */
  readonly now: () => number
}

/** The watched lists of tokens. */
export interface Lists extends Omit<StateActors<TokensRequest, WatchedList>, 'outdate'> {
  /** To be called when the database shows a commit that changed these tokens; `null`: any may have changed, or the price of ETH has. */
  changed(tokens: ReadonlySet<Address> | null): void
}

export function createLists({ read, count, ethUsd, logger, epochMs, now }: ListsOptions): Lists {
  const { outdate, ...actors } = createStateActors<TokensRequest, WatchedList>({
    async read(query, newest) {
      const price = ethUsd()
      const inWeth = tokensInWeth(query, price)
      if (inWeth === null) throw new TokenwireError('price_unavailable', 'filters in USD need the price of ETH', { retryable: true })
      const { data, asOfBlock } = await read(inWeth)
      const rows = encodeListRows(data.map(token => withUsd(token, price)))
      const base = newest?.target ?? null
      if (base?.rows.join() === rows.join()) return newest as WatchedList
      const sequenceFrom = (step: number) => Math.max((base?.sequence ?? 0) + step, epochMs())
      if (query.limit <= MAX_LIST_ROWS) return new WatchedList({ sequence: sequenceFrom(1), asOfBlock, rows }, base)
      const matches = await count(inWeth)
      return new WatchedList({ sequence: sequenceFrom(MAX_LIST_MESSAGES), asOfBlock, rows, matches }, base)
    },
    logger,
    failure: 'a list could not be read',
    pace: { share: READ_SHARE, burstMs: READ_BURST_MS, now },
  })
  return { ...actors, changed: tokens => outdate(query => canChange(query, tokens)) }
}

function canChange({ addresses }: TokensRequest, tokens: ReadonlySet<Address> | null): boolean {
  if (tokens === null) return true
  return addresses === undefined ? tokens.size > 0 : addresses.some(address => tokens.has(address))
}
