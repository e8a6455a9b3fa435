import type { AbiEvent } from 'viem'
import { type DecodeEventLogReturnType, decodeEventLog } from 'viem/utils'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'

/*
 * Event arguments. Static ones are read in place: each is one 32-byte word (Solidity ABI specification, "Formal Specification of the
 * Encoding"), and a general ABI decoder would cost more than all other work on a transfer.
 */

const WORD_DIGITS = 64

/** A reader of the words of an event's data, as unsigned integers. @throws MalformedLogError when there are fewer than `count` */
export function wordsOf(data: Hex, count: number): (index: number) => bigint {
  if (data.length < 2 + count * WORD_DIGITS)
    throw new MalformedLogError(`expected ${count} words of data, got ${(data.length - 2) / WORD_DIGITS}`)
  return index => BigInt(`0x${data.slice(2 + index * WORD_DIGITS, 2 + (index + 1) * WORD_DIGITS)}`)
}

/**
 * A reader of an event's data by names of its fields.
 *
 * @param count of all words of the data
 * @param places the words of the fields that are read
 * @throws MalformedLogError when there are fewer words
 */
export function wordsByName<Name extends string>(data: Hex, count: number, places: Readonly<Record<Name, number>>): (name: Name) => bigint {
  const word = wordsOf(data, count)
  return name => word(places[name])
}

/** The address in an indexed argument. @throws MalformedLogError when the topic is absent or wider than an address */
export function addressTopic(topics: readonly Hex[], index: number): Address {
  const topic = topics[index]
  if (topic === undefined) throw new MalformedLogError(`expected an address in topic ${index}`)
  return addressOf(topic)
}

/** The address in a word, given as hex. @throws MalformedLogError when the word is wider than an address */
export function addressOf(word: Hex): Address {
  const known = addressCache.get(word)
  if (known !== undefined) return known
  if (word.length !== 66 || !word.startsWith('0x000000000000000000000000')) throw new MalformedLogError('expected an address')
  const address = toAddress(`0x${word.slice(26)}`)
  if (addressCache.size >= MAX_CACHED) addressCache.clear()
  addressCache.set(word, address)
  return address
}

/** A few thousand addresses make up most logs. One string per address also makes lookups of balance rows faster. */
const addressCache = new Map<Hex, Address>()
const MAX_CACHED = 20_000

/** The unsigned integer in an indexed argument. @throws MalformedLogError when the topic is absent */
export function wordTopic(topics: readonly Hex[], index: number): bigint {
  const topic = topics[index]
  if (topic === undefined || topic.length !== 66) throw new MalformedLogError(`expected a word in topic ${index}`)
  return BigInt(topic)
}

/** The address in a word. @throws MalformedLogError when the word is wider than an address */
export function addressWord(word: bigint): Address {
  if (word >> 160n !== 0n) throw new MalformedLogError('expected an address')
  return toAddress(`0x${word.toString(16).padStart(40, '0')}`)
}

/** A word as an unsigned integer of `bits` bits. @throws MalformedLogError when it is wider */
export function unsigned(word: bigint, bits: number): bigint {
  if (word >> BigInt(bits) !== 0n) throw new MalformedLogError(`expected an unsigned integer of ${bits} bits`)
  return word
}

/** A word as a signed integer of `bits` bits, in two's complement. @throws MalformedLogError when it is wider */
export function signed(word: bigint, bits = 256): bigint {
  const value = BigInt.asIntN(256, word)
  if (BigInt.asIntN(bits, value) !== value) throw new MalformedLogError(`expected a signed integer of ${bits} bits`)
  return value
}

type NamedArguments<Event extends AbiEvent> = Exclude<DecodeEventLogReturnType<readonly [Event]>['args'], readonly unknown[] | undefined>

/** The arguments of an event with dynamic types, all of them named. @throws MalformedLogError when the log does not fit the event */
export function decodeEvent<const Event extends AbiEvent>(event: Event, log: ChainLog): NamedArguments<Event> {
  try {
    const { args } = decodeEventLog({ abi: [event as AbiEvent], data: log.data, topics: [...log.topics] as [Hex, ...Hex[]] })
    return args as unknown as NamedArguments<Event>
  } catch (error) {
    throw new MalformedLogError(`expected a ${event.name} event`, { cause: error })
  }
}

/** The content of a log does not fit the event that its first topic names. */
export class MalformedLogError extends Error {}

/** The result of reading a log, or `null` when the log is malformed. Only for reads beside `decodeEach`, which reports such logs. */
export function unlessMalformed<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MalformedLogError)) throw error
    return null
  }
}
