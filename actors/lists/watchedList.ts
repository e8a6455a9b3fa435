import type { WatchedState } from '#actors/states/watchedState.ts'
import { LIST_COLUMNS } from '#protocol/encodeListRows.ts'

const COLUMNS = JSON.stringify(LIST_COLUMNS)

/** A state of a list: whole, or as the change of the state before. */
export class WatchedList implements WatchedState<WatchedList> {
  readonly sequence: number
  /** Each row as JSON. */
  readonly rows: readonly string[]
  readonly #asOfBlock: string | null
  /** The state that the client has; `null`: none. */
  readonly #base: WatchedList | null
  #fields: string | null = null
  #whole: WatchedList | null = null

  /** @param asOfBlock the newest indexed block; `null`: nothing is indexed yet */
  constructor(sequence: number, asOfBlock: string | null, rows: readonly string[], base: WatchedList | null) {
    this.sequence = sequence
    this.rows = rows
    this.#asOfBlock = asOfBlock
    // A base needs no base of its own, which would keep all earlier states in memory.
    this.#base = base?.whole ?? null
  }

  get kind(): '' | '.delta' {
    return this.#base === null ? '' : '.delta'
  }

  /** A change is smaller than the list: it has no columns, and the place of a row is shorter than the row. */
  get fields(): string {
    this.#fields ??=
      this.#base === null
        ? `"asOfBlock":${JSON.stringify(this.#asOfBlock)},"columns":${COLUMNS},"data":[${this.rows.join(',')}]`
        : `"base":${this.#base.sequence},"asOfBlock":${JSON.stringify(this.#asOfBlock)},"data":[${changedRows(this.#base.rows, this.rows)}]`
    return this.#fields
  }

  get whole(): WatchedList {
    if (this.#base === null) return this
    this.#whole ??= new WatchedList(this.sequence, this.#asOfBlock, this.rows, null)
    return this.#whole
  }

  replacing(unsent: WatchedList): WatchedList {
    return unsent.#base === null ? this.whole : new WatchedList(this.sequence, this.#asOfBlock, this.rows, unsent.#base)
  }
}

/** The rows in order: a row that the base has as its place there, from 0, and any other in full. */
function changedRows(base: readonly string[], rows: readonly string[]): string {
  const places = new Map(base.map((row, place) => [row, place]))
  return rows.map(row => places.get(row) ?? row).join(',')
}
