import { isStalePlan } from './databaseErrors.ts'
import { UsedStatements } from './usedStatements.ts'

interface DriverClient {
  query(...args: readonly unknown[]): unknown
  /** `I`: outside of a transaction. */
  getTransactionStatus(): string | null
}

interface Pool {
  Client: new (options: unknown) => DriverClient
}

/**
 * Has a pool's connections prepare the statements with parameters that they run most, so that the server reuses generic plans. Planning
 * takes longer than running a statement that reads a few rows: unprepared, the usual requests took five times as long.
 */
export function prepareStatements(pool: Pool): void {
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
