import { Type } from '@mikro-orm/core'
import type { Hex } from '#domain/address.ts'
import { toBytes, toHex } from '#store/rows/bytes.ts'

/** A `bytea` column that entities see as lower-case hex with `0x`. */
export class HexType extends Type<Hex | null | undefined, Buffer | null | undefined> {
  override convertToDatabaseValue(value: Hex | null | undefined): Buffer | null | undefined {
    return value === null || value === undefined ? value : toBytes(value)
  }

  override convertToJSValue(value: Buffer | null | undefined): Hex | null | undefined {
    return value === null || value === undefined ? value : toHex(value)
  }

  override getColumnType(): string {
    return 'bytea'
  }

  override compareAsType(): string {
    return 'string'
  }
}
