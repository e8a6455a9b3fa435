import { hash } from 'node:crypto'

interface Pool {
  Client: new (options: unknown) => { query(...args: readonly unknown[]): unknown }
}

/**
 * How many statements each connection prepares: the first ones that it runs. The server keeps a plan of each in memory, up to 100 KB.
 * Commits and the usual requests have a few dozen statements; lists have hundreds of combinations of filters.
 */
export const MAX_PREPARED = 64

/**
 * Has a pool's connections prepare statements with parameters, named by a hash of their text, so that the server reuses generic plans.
 * Planning took longer than running a statement that reads a few rows.
 */
export function prepareStatements(pool: Pool): void {
  pool.Client = class extends pool.Client {
    readonly #names = new Map<string, string>()

    override query(...args: readonly unknown[]): unknown {
      const [text, values, ...rest] = args
      if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || rest.length > 0) return super.query(...args)
      const name = this.#nameOf(text)
      return name === null ? super.query(text, values) : super.query({ name, text, values })
    }

    #nameOf(text: string): string | null {
      const known = this.#names.get(text)
      if (known !== undefined) return known
      if (this.#names.size === MAX_PREPARED) return null
      // PostgreSQL's names have at most 63 bytes.
      const name = hash('sha1', text, 'base64url')
      this.#names.set(text, name)
      return name
    }
  }
}
