import type { Random } from '#devchain/traders/random.ts'
import type { Request } from '#test/support/faults/postgresMessages.ts'
import type { DatabaseMisfortune } from '#test/support/faults/postgresProxy.ts'

export type Place = 'in a transaction' | 'in a commit'
export type Work = 'backfill' | 'follow' | 'reorg'

/** A request to the database at which something happens; `fate` is what happens to the request itself. */
interface Point {
  left: number
  matches(request: Request): boolean
  happen(): void
  readonly fate: DatabaseMisfortune | undefined
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
  /** The kind of the open transaction: only the indexer opens any. */
  #transaction: 'none' | 'commit' | 'reorg' = 'none'
  /** Whether it has written a block: a transaction that only reads the cursor commits nothing. */
  #wrote = false

  constructor(random: Random) {
    this.#random = random
  }

  set(work: Work, place: Place, happen: () => void, fate = this.#fateOf(place)): void {
    const kind = work === 'reorg' ? 'reorg' : 'commit'
    const matches =
      place === 'in a transaction'
        ? (request: Request) => request.kind === 'statement' && this.#transaction === kind
        : (request: Request) => request.kind === 'commit' && this.#transaction === kind && this.#wrote
    this.#point = { left: place === 'in a transaction' ? this.#random.integer(0, 8) : 0, matches, happen, fate }
  }

  /** For the proxy in front of the database. */
  onRequest = (request: Request): DatabaseMisfortune | undefined => {
    if (/^\s*select writer/.test(request.sql)) {
      this.#transaction = 'commit'
      this.#wrote = false
    }
    if (/^\s*insert into "block"/.test(request.sql)) this.#wrote = true
    if (/^\s*delete from dropped_token/.test(request.sql)) this.#transaction = 'reorg'
    const fate = this.#reached(request)
    if (request.kind === 'commit' || request.kind === 'rollback') this.#transaction = 'none'
    return fate
  }

  #reached(request: Request): DatabaseMisfortune | undefined {
    const point = this.#point
    if (point === null || !point.matches(request) || point.left-- > 0) return undefined
    this.#point = null
    point.happen()
    return point.fate
  }

  #fateOf(place: Place): DatabaseMisfortune | undefined {
    if (place === 'in a commit') return this.#random.pick(FATES)
    return this.#random.chance(0.5) ? { kind: 'cut-before' } : undefined
  }
}
