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
  const known = topic === undefined ? undefined : addressOfTopic.get(topic)
  if (known !== undefined) return known
  if (topic === undefined || topic.length !== 66 || !topic.startsWith('0x000000000000000000000000')) {
    throw new MalformedLogError(`expected an address in topic ${index}`)
  }
  const address = toAddress(`0x${topic.slice(26)}`)
  if (addressOfTopic.size >= MOST_KNOWN_TOPICS) addressOfTopic.clear()
  addressOfTopic.set(topic, address)
  return address
}

/**
 * The addresses of the last topics: the same thousands come again and again. It saves cutting and checking them, and what is made of the same topic
 * is the same string, by which the rows of a holder are found at once.
 */
const addressOfTopic = new Map<Hex, Address>()
const MOST_KNOWN_TOPICS = 20_000

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
