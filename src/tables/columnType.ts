import { Type } from '@mikro-orm/core'
import type { ElementType } from './binaryArray.ts'
import { type Merge, replace } from './merge.ts'

export interface ColumnTypeOptions<Value> {
  /** The type as PostgreSQL names it. */
  readonly postgresType: string
  /** How a set-based insert writes the values: as elements of one binary array per column. */
  readonly element: ElementType<Value>
  /** From what the driver returns. Default: the driver returns the value (`resultTypes.ts`). */
  readonly decode?: (stored: string) => Value
  /** To a parameter of a statement. Default: the driver takes the value. */
  readonly encode?: (value: Value) => unknown
}

/**
 * A column's type: MikroORM takes its declaration and its conversions from here, and the service's own statements the same by `tableOf`.
 * Without private fields, which MikroORM's copies of it would lack.
 */
export class ColumnType<Value> extends Type<Value | null | undefined, unknown> {
  readonly options: ColumnTypeOptions<Value>
  readonly merge: Merge

  constructor(options: ColumnTypeOptions<Value>, merge: Merge = replace) {
    super()
    this.options = options
    this.merge = merge
  }

  override getColumnType(): string {
    return this.options.postgresType
  }

  override convertToJSValue(stored: unknown): Value | null | undefined {
    const { decode } = this.options
    // MikroORM passes the parameters of a look-up by primary key through here, too.
    if (Buffer.isBuffer(stored)) return `0x${stored.toString('hex')}` as Value
    return (decode === undefined || stored === null || stored === undefined ? stored : decode(stored as string)) as Value | null
  }

  override convertToDatabaseValue(value: Value | null | undefined): unknown {
    const { encode } = this.options
    return encode === undefined || value === null || value === undefined ? value : encode(value)
  }
}
