const INITIAL_BYTES = 2 ** 16
/** A longer stretch is copied faster by a call than by a loop. */
const LOOPED_BYTES = 48

const HEX = Buffer.from('0123456789abcdef')
const ZERO = 0x30
const MINUS = 0x2d

/** Bytes that are written piece by piece. `take` gives them away, and the memory is used again. */
export class GrowingBuffer {
  #bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES)
  #length = 0

  /** A copy of the bytes that were written since the last call. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length))
    this.#length = 0
    return taken
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  copy(from: Uint8Array, start = 0, end = from.length): void {
    this.#reserve(end - start)
    const bytes = this.#bytes
    let at = this.#length
    if (end - start > LOOPED_BYTES) bytes.set(from.subarray(start, end), at)
    else for (let index = start; index < end; index++) bytes[at++] = from[index] ?? 0
    this.#length += end - start
  }

  /** Copies bytes from the last to the first, which changes the byte order of a number. */
  reversed(from: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start)
    for (let index = end - 1; index >= start; index--) this.#bytes[this.#length++] = from[index] ?? 0
  }

  /** Writes a length in little-endian order, as Parquet has it. */
  uint32(value: number): void {
    this.#reserve(4)
    this.#length = this.#bytes.writeUInt32LE(value, this.#length)
  }

  /** @param text has only ASCII characters */
  ascii(text: string): void {
    this.#reserve(text.length)
    for (let index = 0; index < text.length; index++) this.#bytes[this.#length++] = text.charCodeAt(index)
  }

  utf8(text: string): void {
    this.#reserve(3 * text.length)
    this.#length += this.#bytes.write(text, this.#length)
  }

  /** Writes bytes as lower-case hex digits. */
  hex(from: Uint8Array, start: number, end: number): void {
    this.#reserve(2 * (end - start))
    const bytes = this.#bytes
    let at = this.#length
    for (let index = start; index < end; index++) {
      const byte = from[index] ?? 0
      bytes[at++] = HEX[byte >> 4] ?? 0
      bytes[at++] = HEX[byte & 15] ?? 0
    }
    this.#length = at
  }

  /** Writes a whole number as decimal digits. */
  integer(value: number | bigint): void {
    // The digits of a number are written in a fifth of the time that its string would take.
    if (typeof value === 'bigint' || !Number.isSafeInteger(value)) return this.ascii(String(value))
    this.#reserve(17)
    let rest = Math.abs(value)
    if (value < 0) this.#bytes[this.#length++] = MINUS
    let digits = 1
    for (let bound = 10; rest >= bound; bound *= 10) digits++
    this.#length += digits
    for (let at = this.#length - 1; digits > 0; digits--) {
      const tenth = Math.floor(rest / 10)
      this.#bytes[at--] = ZERO + (rest - tenth * 10)
      rest = tenth
    }
  }

  #reserve(count: number): void {
    const needed = this.#length + count
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafeSlow(2 * needed)
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }
}
