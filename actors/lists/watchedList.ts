import type { WatchedState } from '#actors/states/watchedState.ts'
import { LIST_COLUMNS, ROWS_BYTES } from '#protocol/encodeListRows.ts'

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
