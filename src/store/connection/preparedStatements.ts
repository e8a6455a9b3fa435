import { hash } from 'node:crypto'
import { sql } from 'kysely'

/** What the driver's pools make their connections of, as far as it is used here. */
interface Connection {
  query(...args: readonly unknown[]): unknown
}

interface Pool {
  Client: new (options: unknown) => Connection
}

/**
 * So many statements are prepared per connection, the first ones that it is given; others are parsed every time. The server keeps the plan of each in memory,
 * some 100 KB for the longest. Commits and the usual requests take a few dozen; lists have hundreds of combinations of filters.
 */
export const MOST_PREPARED = 64

const MARK = '/* planned for these values */'

/** Begins a statement that is not to be prepared, since a plan for any values may be far from the best for some. */
export const FOR_THESE_VALUES = sql.raw(MARK)

/** Whether a statement with parameters is prepared, while there is room. */
export function isPrepared(text: string): boolean {
  return !text.includes(MARK)
}

/**
 * Has a pool's connections prepare statements with parameters under the name of their text, so that the server parses each once and plans it anew only
 * while that is likely to be better: planning took longer than running what reads a few rows.
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
      if (this.#names.size === MOST_PREPARED || !isPrepared(text)) return null
      // The server's names end at 63 bytes.
      const name = hash('sha1', text, 'base64url')
      this.#names.set(text, name)
      return name
    }
  }
}
