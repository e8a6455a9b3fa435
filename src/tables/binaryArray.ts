import type { Hex } from '#domain/address.ts'
import { DECIMAL_PLACES, type Decimal } from '#domain/decimal.ts'

/** How PostgreSQL's binary protocol writes values of a type. */
export interface ElementType<Value> {
  readonly oid: number
  /** The usual size of an element, its length included. */
  readonly usualBytes: number
  write(to: Bytes, value: Value): void
}

/** A buffer that grows as it is written. */
interface Bytes {
  buffer: Buffer
  length: number
  /** The `bytea` that was written last, and its place. */
  readonly last: { hex: Hex; at: number }
}

const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const ABSENT = -1

/**
 * A one-dimensional array as a parameter in PostgreSQL's binary format, which both sides process in a fraction of the time that text takes.
 * The statement has to cast the parameter to the array's type.
 *
 * @throws `RangeError`, `TypeError` for a value that its type can't hold
 */
export function binaryArray<Value>(type: ElementType<Value>, values: readonly (Value | null)[]): Buffer {
  const to = openArray(type, values.length)
  for (const value of values) append(to, type, value)
  return to.buffer.subarray(0, to.length)
}

/** `binaryArray` of one field of some rows. */
export function arrayOf<Value, Field extends string>(
  type: ElementType<Value>,
  rows: readonly { readonly [F in Field]: Value | null }[],
  field: Field,
): Buffer {
  const to = openArray(type, rows.length)
  for (const row of rows) append(to, type, row[field])
  return to.buffer.subarray(0, to.length)
}

function openArray({ oid, usualBytes }: Pick<ElementType<unknown>, 'oid' | 'usualBytes'>, count: number): Bytes {
  const to: Bytes = { buffer: Buffer.allocUnsafe(HEADER_BYTES + count * usualBytes), length: 0, last: { hex: '0x', at: 0 } }
  // The number of dimensions, whether there are nulls, the element type; then the dimension's length and lower bound.
  for (const field of [1, 1, oid, count, 1]) writeInt32(to, field)
  return to
}

function append<Value>(to: Bytes, type: ElementType<Value>, value: Value | null): void {
  if (value === null) return writeInt32(to, ABSENT)
  const start = to.length
  makeRoom(to, LENGTH_BYTES)
  to.length += LENGTH_BYTES
  type.write(to, value)
  putInt32(to.buffer, start, to.length - start - LENGTH_BYTES)
}

export const BYTEA: ElementType<Hex> = {
  oid: 17,
  usualBytes: 36,
  write: (to, hex) => {
    const size = (hex.length - 2) / 2
    makeRoom(to, size)
    const { buffer, length, last } = to
    // Rows are grouped by token: most have the same hashes and addresses as the row before.
    if (hex === last.hex) buffer.copyWithin(length, last.at, last.at + size)
    else if (buffer.write(hex.slice(2), length, 'hex') !== size) throw new TypeError('not hex')
    last.hex = hex
    last.at = length
    to.length += size
  },
}

export const TEXT: ElementType<string> = {
  oid: 25,
  usualBytes: 12,
  write: (to, text) => {
    makeRoom(to, text.length * 3)
    to.length += to.buffer.write(text, to.length, 'utf8')
  },
}

export const BOOLEAN: ElementType<boolean> = {
  oid: 16,
  usualBytes: 5,
  write: (to, value) => {
    makeRoom(to, 1)
    to.buffer[to.length] = value ? 1 : 0
    to.length += 1
  },
}

export const SMALLINT: ElementType<number> = {
  oid: 21,
  usualBytes: 6,
  write: (to, value) => {
    makeRoom(to, 2)
    to.length = to.buffer.writeInt16BE(whole(value), to.length)
  },
}

export const INTEGER: ElementType<number> = { oid: 23, usualBytes: 8, write: (to, value) => writeInt32(to, int32(value)) }

export const BIGINT: ElementType<number> = {
  oid: 20,
  usualBytes: 12,
  write: (to, value) => {
    makeRoom(to, 8)
    const high = Math.floor(whole(value) / 2 ** 32)
    putInt32(to.buffer, to.length, high)
    putInt32(to.buffer, to.length + 4, value - high * 2 ** 32)
    to.length += 8
  },
}

export const DOUBLE: ElementType<number> = {
  oid: 701,
  usualBytes: 12,
  write: (to, value) => {
    makeRoom(to, 8)
    // Adding 0 turns -0 into 0: the server would print the sign.
    to.length = to.buffer.writeDoubleBE(value + 0, to.length)
  },
}

/** A whole number of any size. */
export const NUMERIC: ElementType<bigint> = { oid: 1700, usualBytes: 28, write: (to, value) => writeNumeric(to, value, 0) }

/** A decimal, without trailing zeros. */
export const DECIMAL: ElementType<Decimal> = { oid: 1700, usualBytes: 28, write: (to, value) => writeNumeric(to, value, DECIMAL_PLACES) }

const NEGATIVE = 0x40_00
const DIGITS_PER_GROUP = 4

/** Writes `scaled` / 10^`places` as groups of four decimal digits counted from the point, without groups of zeros at either end. */
function writeNumeric(to: Bytes, scaled: bigint, places: number): void {
  const digits = (scaled < 0n ? -scaled : scaled).toString()
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO) end--
  const zeros = digits.length - end
  // Groups are counted from the last digit, which is the end of a group.
  const groups = Math.ceil(digits.length / DIGITS_PER_GROUP)
  const written = end === 0 ? 0 : groups - Math.floor(zeros / DIGITS_PER_GROUP)
  makeRoom(to, 8 + 2 * written)
  const { buffer } = to
  putInt16(buffer, to.length, written)
  putInt16(buffer, to.length + 2, written === 0 ? 0 : groups - 1 - places / DIGITS_PER_GROUP)
  putInt16(buffer, to.length + 4, scaled < 0n ? NEGATIVE : 0)
  putInt16(buffer, to.length + 6, end === 0 ? 0 : Math.max(0, places - zeros))
  let at = to.length + 8
  let next = digits.length - groups * DIGITS_PER_GROUP
  for (let group = 0; group < written; group++) {
    let value = 0
    for (let digit = 0; digit < DIGITS_PER_GROUP; digit++, next++) value = value * 10 + (next < 0 ? 0 : digits.charCodeAt(next) - ZERO)
    putInt16(buffer, at, value)
    at += 2
  }
  to.length = at
}

const ZERO = 0x30

function writeInt32(to: Bytes, value: number): void {
  makeRoom(to, 4)
  putInt32(to.buffer, to.length, value)
  to.length += 4
}

/** Writes the lower 32 bits without the checks of `writeInt32BE`, which cost more than the writing. */
function putInt32(buffer: Buffer, at: number, value: number): void {
  putInt16(buffer, at, value >>> 16)
  putInt16(buffer, at + 2, value)
}

function putInt16(buffer: Buffer, at: number, value: number): void {
  buffer[at] = (value >>> 8) & 0xff
  buffer[at + 1] = value & 0xff
}

function int32(value: number): number {
  if (value === (value | 0)) return value
  throw new RangeError(`not a whole number of 32 bits: ${value}`)
}

function whole(value: number): number {
  if (Number.isSafeInteger(value)) return value
  throw new RangeError(`not a whole number: ${value}`)
}

function makeRoom(to: Bytes, bytes: number): void {
  if (to.length + bytes <= to.buffer.length) return
  const larger = Buffer.allocUnsafe(Math.max(to.buffer.length * 2, to.length + bytes))
  to.buffer.copy(larger, 0, 0, to.length)
  to.buffer = larger
}
