import type { Logger } from 'pino'
import type { Address } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import { encodeListRows, ROWS_BYTES } from '#protocol/encodeListRows.ts'
import { MAX_LIST_ROWS } from '#protocol/limits.ts'
import { LIST_COLUMNS } from '#protocol/listCells.ts'
import type { Page } from '#resources/resource.ts'
import { type Token, withUsd } from '#resources/token.ts'
import { type TokenCursor, type TokensQuery, type TokensRequest, tokensInWeth } from '#resources/tokens.ts'
import { createStateActors, type StateActors, type WatchedState } from './stateActors.ts'

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

const COLUMNS = JSON.stringify(LIST_COLUMNS)

/** More than the messages of one state: all rows together fill four, and any two messages in a row have more bytes than one can. */
export const MAX_LIST_MESSAGES = 16

/** The rows that a client has, each as JSON, and the sequence of the message that completed them. */
interface HeldRows {
  readonly sequence: number
  readonly rows: readonly string[]
}

interface Target extends HeldRows {
  /** The newest indexed block; `null`: nothing is indexed yet. */
  readonly asOfBlock: string | null
  /** The number of matching tokens, only of long lists; `null`: more than are counted. */
  readonly matches?: number | null
}

/**
 * The message that leads a client from an earlier state of a list to a new one: the whole list, or its change. Rows that do not fit into it
 * follow in `rest`. In between, the client has the rows in their new order, some of them with old values, and others missing.
 */
export class WatchedList implements WatchedState<WatchedList> {
  readonly target: Target
  /** The rows that the client has; `null`: it has none. */
  readonly #base: HeldRows | null
  #next: NextRows | null = null
  #fields: string | null = null
  #whole: WatchedList | null = null
  #rest: WatchedList | null = null

  constructor(target: Target, base: HeldRows | null) {
    this.target = target
    this.#base = base
  }

  get kind(): '' | '.delta' {
    return this.#base === null ? '' : '.delta'
  }

  get sequence(): number {
    return this.#reached.isLast ? this.target.sequence : Math.max(this.#base?.sequence ?? 0, this.target.sequence - MAX_LIST_MESSAGES) + 1
  }

  /** A change is smaller than the list: it has no columns, and the places of unchanged rows. */
  get fields(): string {
    if (this.#fields === null) {
      const { asOfBlock, matches } = this.target
      const start = this.#base === null ? `"columns":${COLUMNS}` : `"base":${this.#base.sequence}`
      const end = matches === undefined ? '' : `,"matches":${matches}`
      this.#fields = `${start},"asOfBlock":${JSON.stringify(asOfBlock)},"data":[${this.#reached.entries.join(',')}]${end}`
    }
    return this.#fields
  }

  get rest(): WatchedList | null {
    if (this.#reached.isLast) return null
    this.#rest ??= new WatchedList(this.target, { sequence: this.sequence, rows: this.#reached.rows })
    return this.#rest
  }

  get whole(): WatchedList {
    if (this.#base === null) return this
    this.#whole ??= new WatchedList(this.target, null)
    return this.#whole
  }

  replacing(unsent: WatchedList): WatchedList {
    return unsent.#base === null ? this.whole : new WatchedList(this.target, unsent.#base)
  }

  get #reached(): NextRows {
    this.#next ??= nextRows(this.#base?.rows ?? [], this.target.rows)
    return this.#next
  }
}

interface NextRows {
  /** The rows after the message. */
  readonly rows: readonly string[]
  /** The rows in the message: a row that the client has as its place in the client's rows, from 0, and any other row in full. */
  readonly entries: readonly string[]
  readonly isLast: boolean
}

/** The most bytes of a place and a comma. */
const PLACE_BYTES = 4

function nextRows(held: readonly string[], target: readonly string[]): NextRows {
  const places = new Map(held.map((row, place) => [row, place]))
  const entryOf = (row: string) => String(places.get(row) ?? row)
  const entries = target.map(entryOf)
  if (bytesOf(entries) <= ROWS_BYTES) return { rows: target, entries, isLast: true }
  const heldByAddress = new Map(held.map(row => [addressOf(row), row]))
  let left = ROWS_BYTES - PLACE_BYTES * target.length
  let hasNew = false
  const rows = target.flatMap(row => {
    if (places.has(row)) return [row]
    const bytes = Buffer.byteLength(row) + 1
    if (bytes > left && hasNew) return heldByAddress.get(addressOf(row)) ?? []
    hasNew = true
    left -= bytes
    return [row]
  })
  return { rows, entries: rows.map(entryOf), isLast: false }
}

function bytesOf(entries: readonly string[]): number {
  return entries.reduce((sum, entry) => sum + Buffer.byteLength(entry) + 1, 0)
}

/** The first cell of a row. */
function addressOf(row: string): string {
  return row.slice(0, row.indexOf(','))
}
