/** What is used of a `pg` pool. */
interface Pool {
  readonly options: { readonly types: { setTypeParser(oid: number, parse: (text: string) => unknown): void } }
}

const BYTEA_OID = 17
const BIGINT_OID = 20

/**
 * Has a pool's connections return `bytea` as lower-case hex with `0x` and `bigint` as a number: every `bigint` of the schema, and every
 * count, is a safe integer. `numeric` stays text.
 */
export function setResultTypes({ options }: Pool): void {
  // PostgreSQL sends `\x` and the digits (bytea_output = hex, the default).
  options.types.setTypeParser(BYTEA_OID, text => `0x${text.slice(2)}`)
  options.types.setTypeParser(BIGINT_OID, Number)
}
