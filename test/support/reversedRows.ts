import { createRequire } from 'node:module'

interface Answered {
  readonly text: unknown
  readonly _results: unknown
}

interface QueryClass {
  readonly prototype: { handleReadyForQuery(this: Answered, connection: unknown): void; areRowsReversed?: true }
}

/**
 * Reverses the rows of every statement of this process that has no order: PostgreSQL may return them so. A statement is left alone if it
 * has an `order by` outside of parentheses, or joins row by row (`lateral`, `unnest`), which keeps the order that there was.
 */
export function reverseRows(): void {
  // The driver has no hook for answers.
  const { prototype } = createRequire(import.meta.url)('pg/lib/query.js') as QueryClass
  if (prototype.areRowsReversed === true) return
  prototype.areRowsReversed = true
  const { handleReadyForQuery } = prototype
  prototype.handleReadyForQuery = function (this: Answered, connection: unknown) {
    if (typeof this.text === 'string' && !/order by|lateral|unnest/i.test(outermost(this.text))) {
      for (const result of [this._results].flat() as ({ readonly rows?: unknown[] } | undefined)[]) result?.rows?.reverse()
    }
    handleReadyForQuery.call(this, connection)
  }
}

/** A statement without texts and without what is in parentheses. */
function outermost(statement: string): string {
  const shorter = statement.replaceAll(/'(?:[^']|'')*'|\([^()']*\)/g, ' ')
  return shorter === statement ? statement : outermost(shorter)
}
