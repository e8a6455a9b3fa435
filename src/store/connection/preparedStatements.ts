import { randomUUID } from 'node:crypto'
import { isStalePlan } from './databaseErrors.ts'
import type { DriverPool } from './driver.ts'

/**
 * Has a pool's connections prepare the statements with parameters that they run most, so that the server reuses generic plans. Planning
 * takes longer than running a statement that reads a few rows: unprepared, the usual requests took five times as long.
 */
export function prepareStatements(pool: DriverPool): void {
  pool.Client = class extends pool.Client {
    readonly #used = new UsedStatements()

    override query(...args: readonly unknown[]): unknown {
      const [text, values, ...rest] = args
      if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || rest.length > 0) return super.query(...args)
      const { name, evicted } = this.#used.use(text)
      if (name === null) return super.query(text, values)
      return this.#runPrepared({ name, text, values }, evicted)
    }

    async #runPrepared(
      statement: { readonly name: string; readonly text: string; readonly values: readonly unknown[] },
      evicted: string | null,
    ) {
      // Not awaited: the driver sends statements in order. In a failed transaction this fails, and the statement stays prepared.
      if (evicted !== null) void Promise.resolve(super.query(`deallocate ${evicted}`)).catch(() => undefined)
      const isAlone = this.getTransactionStatus() === 'I'
      try {
        return await super.query(statement)
      } catch (error) {
        if (!isStalePlan(error)) throw error
        // A table was altered. The statement has not run, and would fail again until it is prepared anew.
        this.#used.forget(statement.text)
        if (!isAlone) throw error
        return super.query(statement.text, statement.values)
      }
    }
  }
}

/** How to run a statement. */
export interface StatementUse {
  /** The name under which it is, or with this run becomes, prepared; `null`: it runs unprepared. */
  readonly name: string | null
  /** The name of a prepared statement to deallocate first; `null`: none. */
  readonly evicted: string | null
}

/**
 * How many statements each connection keeps prepared. The server keeps a plan of each in memory, up to 100 KB. Commits and the usual
 * requests have a few dozen statements; lists have hundreds of combinations of filters.
 */
export const MAX_PREPARED = 64

/** A statement that runs once costs the same unprepared. */
const MIN_RUNS = 2
/** A statement evicts another one once it has run this many times as often. Two that alternate do not evict each other. */
const RUNS_TO_EVICT = 2
/** The most statements counted per connection, since texts take memory. Connections live for ten minutes at most, so counts are recent. */
const MAX_COUNTED = 256

const UNPREPARED: StatementUse = { name: null, evicted: null }

/** Which statements of a connection are prepared: those that run most. */
class UsedStatements {
  /** The number of runs by the statement's text. */
  readonly #runs = new Map<string, number>()
  readonly #names = new Map<string, string>()
  /** A random part: behind a pooler the server's session may still have the statements of an earlier client. */
  readonly #prefix = `tokenwire_${randomUUID().slice(0, 8)}`
  #prepared = 0

  /** Counts a run. */
  use(text: string): StatementUse {
    const runs = (this.#runs.get(text) ?? 0) + 1
    if (runs === 1 && this.#runs.size >= MAX_COUNTED) this.#forgetUnprepared()
    this.#runs.set(text, runs)
    const name = this.#names.get(text)
    if (name !== undefined) return { name, evicted: null }
    if (runs < MIN_RUNS) return UNPREPARED
    if (this.#names.size < MAX_PREPARED) return { name: this.#prepare(text), evicted: null }
    const rarest = this.#rarest()
    if (runs < RUNS_TO_EVICT * (this.#runs.get(rarest) ?? 0)) return UNPREPARED
    const evicted = this.#names.get(rarest) ?? null
    this.#names.delete(rarest)
    return { name: this.#prepare(text), evicted }
  }

  /** Has a statement prepared anew, since the server no longer runs it as it was prepared. */
  forget(text: string): void {
    this.#names.delete(text)
  }

  /** No name is used twice: the driver and the server may remember a name for longer than this does. */
  #prepare(text: string): string {
    const name = `${this.#prefix}_${++this.#prepared}`
    this.#names.set(text, name)
    return name
  }

  #rarest(): string {
    let rarest = ''
    let fewest = Infinity
    for (const text of this.#names.keys()) {
      const runs = this.#runs.get(text) ?? 0
      if (runs >= fewest) continue
      rarest = text
      fewest = runs
    }
    return rarest
  }

  #forgetUnprepared(): void {
    for (const text of this.#runs.keys()) if (!this.#names.has(text)) this.#runs.delete(text)
  }
}
