import { type Address, type Hex, toAddress } from '#domain/address.ts'

/*
 * ABI words read in place. A general decoder costs more than the rest of indexing a transfer, and static arguments need none: each is one
 * 32-byte word (Solidity ABI specification, "Formal Specification of the Encoding").
 */

const WORD_DIGITS = 64

/** Thrown for data that does not have the shape of its event; caught where logs are counted as malformed. */
export class MalformedLogError extends Error {}

/** The words of an event's data. @throws MalformedLogError when there are fewer than `count` */
export function wordsOf(data: Hex, count: number): (index: number) => bigint {
  if (data.length < 2 + count * WORD_DIGITS)
    throw new MalformedLogError(`expected ${count} words of data, got ${(data.length - 2) / WORD_DIGITS}`)
  return index => BigInt(`0x${data.slice(2 + index * WORD_DIGITS, 2 + (index + 1) * WORD_DIGITS)}`)
}

/** The address in an indexed argument. @throws MalformedLogError when the topic is absent or wider than an address */
export function addressTopic(topics: readonly Hex[], index: number): Address {
  const topic = topics[index]
  if (topic === undefined) throw new MalformedLogError(`expected an address in topic ${index}`)
  return addressOf(topic)
}

/** The address in a word as hex. @throws MalformedLogError when it is wider than one */
export function addressOf(word: Hex): Address {
  const known = addressOfWord.get(word)
  if (known !== undefined) return known
  if (word.length !== 66 || !word.startsWith('0x000000000000000000000000')) throw new MalformedLogError('expected an address')
  const address = toAddress(`0x${word.slice(26)}`)
  if (addressOfWord.size >= MOST_KNOWN_WORDS) addressOfWord.clear()
  addressOfWord.set(word, address)
  return address
}

/**
 * The addresses of the last words: the same thousands come again and again. It saves cutting and checking them, and what is made of the same word is the
 * same string, by which the rows of a holder are found at once.
 */
const addressOfWord = new Map<Hex, Address>()
const MOST_KNOWN_WORDS = 20_000

/** The integer in an indexed argument. */
export function wordTopic(topics: readonly Hex[], index: number): bigint {
  const topic = topics[index]
  if (topic === undefined || topic.length !== 66) throw new MalformedLogError(`expected a word in topic ${index}`)
  return BigInt(topic)
}

/** A word that holds an address. @throws MalformedLogError when it is wider than one */
export function addressWord(word: bigint): Address {
  if (word >> 160n !== 0n) throw new MalformedLogError('expected an address')
  return toAddress(`0x${word.toString(16).padStart(40, '0')}`)
}

/** A word as an unsigned integer of so many bits. @throws MalformedLogError when it is wider */
export function unsigned(word: bigint, bits: number): bigint {
  if (word >> BigInt(bits) !== 0n) throw new MalformedLogError(`expected an unsigned integer of ${bits} bits`)
  return word
}

/** A word as a signed integer (two's complement) of so many bits. @throws MalformedLogError when it is wider */
export function signed(word: bigint, bits = 256): bigint {
  const value = BigInt.asIntN(256, word)
  if (BigInt.asIntN(bits, value) !== value) throw new MalformedLogError(`expected a signed integer of ${bits} bits`)
  return value
}
