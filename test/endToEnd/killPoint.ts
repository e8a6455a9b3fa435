import type { Random } from '#devchain/traders/random.ts'
import type { Request } from '#test/support/faults/postgresMessages.ts'
import type { DatabaseMisfortune, DecideMisfortune } from '#test/support/faults/postgresProxy.ts'

export type Place = 'in a transaction' | 'in a commit'
export type Work = 'backfill' | 'follow' | 'reorg'

/** A request to the database at which something happens; `fate` is what happens to the request itself. */
interface Point {
  left: number
  matches(request: Request, transaction: Transaction): boolean
  happen(): void
  readonly fate: DatabaseMisfortune | undefined
}

/** What is open on a connection. `wrote`: whether a block was written; a transaction that only reads the cursor commits nothing. */
interface Transaction {
  kind: 'none' | 'commit' | 'reorg'
  wrote: boolean
}

/** What can happen to a commit: lost before or while the server gets it, executed without an answer, executed late. */
export const FATES: readonly DatabaseMisfortune[] = [
  { kind: 'cut-before' },
  { kind: 'cut-inside' },
  { kind: 'cut-after' },
  { kind: 'late', afterMs: 50 },
]

/** Recognises what the indexer does by its statements, and lets something happen at one of them. */
export class KillPoint {
  readonly #random: Random
  #point: Point | null = null
  /** By connection: background work has transactions of its own. */
  readonly #transactions = new WeakMap<object, Transaction>()

  constructor(random: Random) {
    this.#random = random
  }

  set(work: Work, place: Place, happen: () => void, fate = this.#fateOf(place)): void {
    const kind = work === 'reorg' ? 'reorg' : 'commit'
    const matches =
      place === 'in a transaction'
        ? (request: Request, open: Transaction) => request.kind === 'statement' && open.kind === kind
        : (request: Request, open: Transaction) => request.kind === 'commit' && open.kind === kind && open.wrote
    this.#point = { left: place === 'in a transaction' ? this.#random.integer(0, 8) : 0, matches, happen, fate }
  }

  /** For the proxy in front of the database. */
  onRequest: DecideMisfortune = (request, connection) => {
    const open = this.#transactions.get(connection) ?? { kind: 'none', wrote: false }
    this.#transactions.set(connection, open)
    if (/^\s*select writer/.test(request.sql)) Object.assign(open, { kind: 'commit', wrote: false })
    if (/^\s*insert into "block"/.test(request.sql)) open.wrote = true
    if (/^\s*delete from dropped_token/.test(request.sql)) open.kind = 'reorg'
    const fate = this.#reached(request, open)
    if (request.kind === 'commit' || request.kind === 'rollback') open.kind = 'none'
    return fate
  }

  #reached(request: Request, open: Transaction): DatabaseMisfortune | undefined {
    const point = this.#point
    if (point === null || !point.matches(request, open) || point.left-- > 0) return undefined
    this.#point = null
    point.happen()
    return point.fate
  }

  #fateOf(place: Place): DatabaseMisfortune | undefined {
    if (place === 'in a commit') return this.#random.pick(FATES)
    return this.#random.chance(0.5) ? { kind: 'cut-before' } : undefined
  }
}
