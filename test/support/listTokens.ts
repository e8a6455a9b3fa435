import type { Page } from '#resources/resource.ts'
import type { Token } from '#resources/token.ts'
import type { TokenCursor, TokensQuery } from '#resources/tokens.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { TokenCache } from '#store/reads/tokenCache.ts'
import { readTokens } from '#store/reads/tokens.ts'

const CHAIN_ID = 31337

/** A page of tokens, of which none has been read before. */
export function listTokens(db: Queryable, query: TokensQuery): Promise<Page<Token, TokenCursor>> {
  return readTokens(db, query, new TokenCache(db, CHAIN_ID, () => 0))
}
