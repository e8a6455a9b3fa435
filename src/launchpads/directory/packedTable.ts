import { randomInt } from 'node:crypto'
import type { Hex } from '#domain/address.ts'

/** No row has the key. */
export const NO_ROW = -1

const DIGITS_PER_WORD = 8
const CHUNK_BITS = 14
const CHUNK_ROWS = 1 << CHUNK_BITS
const FIRST_SLOTS = 1 << 10
/** The table doubles its slots at this load factor. */
const MAX_LOAD = 0.75
const NO_DIGIT = 0xff
const X = 'x'.charCodeAt(0)

/** The character codes of hex digits by their values. Upper-case letters do not count as digits, so that equal keys are equal strings. */
const DIGIT_CODES = Buffer.from('0123456789abcdef')
const DIGITS = new Uint8Array(1 << 16).fill(NO_DIGIT)
for (const [value, code] of DIGIT_CODES.entries()) DIGITS[code] = value

/**
 * Rows of 32-bit words by hex keys of one length, in typed arrays: a row takes its words and about 8 bytes, and no object. Rows are
 * numbered from 0 in the order in which they were added. Rows can't be removed: a caller marks a removed one in its words.
 *
 * An open-addressing hash table with linear probing. Beside each slot stands a byte of its key's hash, which avoids most reads of rows. The
 * hash is seeded by the process, so that keys can't be made to collide.
 */
export class PackedTable {
  /** The length of a key's text. */
  readonly keyLength: number
  readonly #keyWords: number
  readonly #rowWords: number
  readonly #seed = randomInt(2 ** 32)
  /** The key that was read last. */
  readonly #key: Uint32Array
  /** A buffer for the text of a key: a string is made fastest from bytes. */
  readonly #text: Buffer
  readonly #chunks: Uint32Array[] = []
  #slots = new Uint32Array(FIRST_SLOTS)
  /** The tag of each slot: 0 for a free one, else a byte of the key's hash. */
  #tags = new Uint8Array(FIRST_SLOTS)
  #size = 0

  /**
   * @param keyBytes a multiple of 4
   * @param values words of a row beside its key, 0 at first
   */
  constructor(keyBytes: number, values: number) {
    this.#keyWords = keyBytes / 4
    this.#rowWords = this.#keyWords + values
    this.keyLength = 2 + keyBytes * 2
    this.#key = new Uint32Array(this.#keyWords)
    this.#text = Buffer.from('0x'.padEnd(this.keyLength))
  }

  /** The number of rows. */
  get size(): number {
    return this.#size
  }

  /** The row of a key, or `NO_ROW`, also for a text that is no key. */
  find(key: Hex): number {
    return this.#read(key) ? this.#findRead() : NO_ROW
  }

  /** The row of the key whose bytes begin at `at`, or `NO_ROW`. */
  findBytes(bytes: Uint8Array, at: number): number {
    this.#readBytes(bytes, at)
    return this.#findRead()
  }

  /** The row of a key. A missing row is added. @throws `TypeError` for a text that is no key */
  add(key: Hex): number {
    if (!this.#read(key)) throw new TypeError(`not ${this.#keyWords * 4} bytes in lower-case hex: ${key.slice(0, 140)}`)
    return this.#addRead()
  }

  /** The row of the key whose bytes begin at `at`. A missing row is added. */
  addBytes(bytes: Uint8Array, at: number): number {
    this.#readBytes(bytes, at)
    return this.#addRead()
  }

  #findRead(): number {
    const slot = this.#slotOf(this.#hash(this.#key, 0))
    return this.#tags[slot] === 0 ? NO_ROW : (this.#slots[slot] as number)
  }

  #addRead(): number {
    const hash = this.#hash(this.#key, 0)
    let slot = this.#slotOf(hash)
    if (this.#tags[slot] !== 0) return this.#slots[slot] as number
    const row = this.#size
    if (row + 1 > this.#slots.length * MAX_LOAD) {
      this.#grow()
      slot = this.#slotOf(hash)
    }
    if (row % CHUNK_ROWS === 0) this.#chunks.push(new Uint32Array(CHUNK_ROWS * this.#rowWords))
    this.#chunkOf(row).set(this.#key, this.#at(row))
    this.#slots[slot] = row
    this.#tags[slot] = tagOf(hash)
    this.#size++
    return row
  }

  keyAt(row: number): Hex {
    const chunk = this.#chunkOf(row)
    const from = this.#at(row)
    for (let word = 0, at = 2; word < this.#keyWords; word++) {
      const value = chunk[from + word] as number
      for (let shift = 28; shift >= 0; shift -= 4) this.#text[at++] = DIGIT_CODES[(value >>> shift) & 15] as number
    }
    return this.#text.toString('latin1') as Hex
  }

  value(row: number, index: number): number {
    return this.#chunkOf(row)[this.#at(row) + this.#keyWords + index] as number
  }

  /** @param value from 0 to 2^32 - 1 */
  setValue(row: number, index: number, value: number): void {
    this.#chunkOf(row)[this.#at(row) + this.#keyWords + index] = value
  }

  #chunkOf(row: number): Uint32Array {
    return this.#chunks[row >>> CHUNK_BITS] as Uint32Array
  }

  #at(row: number): number {
    return (row & (CHUNK_ROWS - 1)) * this.#rowWords
  }

  /** Reads a key into `#key`. */
  #read(key: Hex): boolean {
    if (key.length !== this.keyLength || key.charCodeAt(1) !== X) return false
    let all = 0
    for (let word = 0, at = 2; word < this.#keyWords; word++, at += DIGITS_PER_WORD) {
      // Written out: a loop over the digits takes half as long again.
      const a = DIGITS[key.charCodeAt(at)] as number
      const b = DIGITS[key.charCodeAt(at + 1)] as number
      const c = DIGITS[key.charCodeAt(at + 2)] as number
      const d = DIGITS[key.charCodeAt(at + 3)] as number
      const e = DIGITS[key.charCodeAt(at + 4)] as number
      const f = DIGITS[key.charCodeAt(at + 5)] as number
      const g = DIGITS[key.charCodeAt(at + 6)] as number
      const h = DIGITS[key.charCodeAt(at + 7)] as number
      all |= a | b | c | d | e | f | g | h
      this.#key[word] = (a << 28) | (b << 24) | (c << 20) | (d << 16) | (e << 12) | (f << 8) | (g << 4) | h
    }
    return all < 16
  }

  #readBytes(bytes: Uint8Array, from: number): void {
    for (let word = 0; word < this.#keyWords; word++) this.#key[word] = wordAt(bytes, from + word * 4)
  }

  #hash(words: Uint32Array, from: number): number {
    let hash = this.#seed
    for (let at = from; at < from + this.#keyWords; at++) {
      hash = Math.imul(hash ^ (words[at] as number), 0x9e3779b1)
      hash ^= hash >>> 15
    }
    hash = Math.imul(hash, 0x85ebca6b)
    hash ^= hash >>> 13
    hash = Math.imul(hash, 0xc2b2ae35)
    return (hash ^ (hash >>> 16)) >>> 0
  }

  /** The slot of the key in `#key`, or the free one where it belongs. */
  #slotOf(hash: number): number {
    const mask = this.#slots.length - 1
    const tag = tagOf(hash)
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = this.#tags[slot]
      if (found === 0 || (found === tag && this.#isAt(this.#slots[slot] as number))) return slot
    }
  }

  #isAt(row: number): boolean {
    const chunk = this.#chunkOf(row)
    const at = this.#at(row)
    for (let word = 0; word < this.#keyWords; word++) if (chunk[at + word] !== this.#key[word]) return false
    return true
  }

  #grow(): void {
    const length = this.#slots.length * 2
    const mask = length - 1
    const slots = new Uint32Array(length)
    const tags = new Uint8Array(length)
    for (let row = 0; row < this.#size; row++) {
      const hash = this.#hash(this.#chunkOf(row), this.#at(row))
      let slot = hash & mask
      while (tags[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = row
      tags[slot] = tagOf(hash)
    }
    this.#slots = slots
    this.#tags = tags
  }
}

/** The 32-bit word, big endian, that begins at `at`. */
export function wordAt(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>> 0
  )
}

function tagOf(hash: number): number {
  return hash >>> 24 || 1
}
