import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { setNewest } from '#domain/maps.ts'
import type { Token } from '#resources/token.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { lookUp, parameter } from '#store/rows/insertRows.ts'
import { arrayOf, BYTEA } from '#tables/binaryArray.ts'
import { MAIN_POOL, SELECTED_TOKEN, type SelectedToken, toToken } from './toToken.ts'

/** A version of a token: every commit that changes its row, its main pool or its quote currency raises the sequence. */
export interface TokenVersion {
  readonly address: Address
  readonly sequence: number
}

interface Entry {
  readonly sequence: number
  /** The token at this sequence; `null`: it had another one when it was read. */
  readonly token: Promise<Token | null>
  readonly readAtMs: number
}

/** This many tokens take about 10 MB with the text of their JSON. */
const MAX_TOKENS = 2_000
/** Bounds the effect of statements that raise no sequence, such as an operator's own. */
const MAX_AGE_MS = 60_000

/**
 * Tokens in memory, so that lists that share them read each once per change. Decoding a token's hundred columns costs more than finding it.
 * The least recently listed ones are evicted.
 */
export class TokenCache {
  readonly #db: Queryable
  readonly chainId: number
  readonly #now: () => number
  readonly #entries = new Map<Address, Entry>()

  /** @param now monotonic milliseconds */
  constructor(db: Queryable, chainId: number, now: () => number) {
    this.#db = db
    this.chainId = chainId
    this.#now = now
  }

  /** The tokens at exactly these versions, in this order, to share and not to change. `null`: a commit has changed one since. */
  async at(versions: readonly TokenVersion[]): Promise<readonly Token[] | null> {
    const missing = versions.filter(version => this.#entryOf(version) === undefined)
    if (missing.length > 0) this.#read(missing)
    const entries = versions.map(version => this.#entryOf(version)?.token ?? Promise.resolve(null))
    const tokens = await Promise.all(entries)
    return tokens.every(token => token !== null) ? tokens : null
  }

  /** The valid entry of a version, which becomes the most recently used one. */
  #entryOf({ address, sequence }: TokenVersion): Entry | undefined {
    const entry = this.#entries.get(address)
    if (entry?.sequence !== sequence || this.#now() - entry.readAtMs >= MAX_AGE_MS) return undefined
    setNewest(this.#entries, address, entry, MAX_TOKENS)
    return entry
  }

  #read(versions: readonly TokenVersion[]): void {
    const reading = readByAddress(this.#db, versions, this.chainId)
    const readAtMs = this.#now()
    for (const { address, sequence } of versions) {
      const token = reading.then(found => {
        const read = found.get(address) ?? null
        return read?.sequence === sequence ? read : null
      })
      const entry = { sequence, token, readAtMs }
      setNewest(this.#entries, address, entry, MAX_TOKENS)
      const forget = () => this.#entries.get(address) === entry && this.#entries.delete(address)
      token.then(read => read ?? forget(), forget)
    }
  }
}

/** Looks each address up by itself: for `= any(…)`, PostgreSQL prefers to scan an index of some thousand tokens. */
async function readByAddress(db: Queryable, versions: readonly TokenVersion[], chainId: number): Promise<ReadonlyMap<Address, Token>> {
  const addresses = parameter(arrayOf(BYTEA, versions, 'address'), 'bytea[]')
  const { rows } = await sql<SelectedToken>`
    select ${SELECTED_TOKEN} from unnest(${addresses}) as asked (address)
    ${lookUp('token', sql`token.address = asked.address`)} ${MAIN_POOL}`.execute(db)
  return new Map(rows.map(row => [row.address, toToken(row, chainId)]))
}
