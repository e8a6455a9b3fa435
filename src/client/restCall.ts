import type { Schema } from './schema.ts'
import type { OperatorOptions } from './tokenwire.ts'

/** One GET request. */
export interface RestCall<T> {
  /** Begins with a slash. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>> | undefined
  readonly schema: Schema<T>
  readonly options?: OperatorOptions | undefined
  /** A status besides 200 that carries a value of the schema. */
  readonly alsoStatus?: number | undefined
}
