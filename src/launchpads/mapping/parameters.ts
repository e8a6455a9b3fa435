import type { AbiEvent, AbiParameter } from 'viem'
import type { Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { MalformedLogError } from '#launchpads/malformedLog.ts'
import { componentsOf } from './signature.ts'

/*
 * Where parameters stand in a log (Solidity ABI specification, "Formal Specification of the Encoding"), computed once per event. A general
 * decoder would decode everything, even a hostile megabyte, for one word.
 */

export interface EventParameter {
  /** Inside a tuple, the names joined by dots. */
  readonly name: string
  readonly type: string
  readonly indexed: boolean
  /** Whether its value is one word: a number, an address, a flag or short bytes. */
  readonly isWord: boolean
  /** The word. @throws MalformedLogError */
  word(log: ChainLog): Hex
  /** At most `maxBytes` of a `string` or `bytes`, as hex digits. @throws MalformedLogError */
  bytes(log: ChainLog, maxBytes: number): string
}

const DIGITS = 64
const WORD_BYTES = 32

/** The named parameters: words, strings and bytes, also inside tuples. The contents of arrays cannot be named. */
export function parametersOf(event: AbiEvent): ReadonlyMap<string, EventParameter> {
  const found = new Map<string, EventParameter>()
  let topic = 1
  let head = 0
  for (const input of event.inputs) {
    if (input.indexed === true) {
      const index = topic++
      const word = (log: ChainLog) => log.topics[index] as Hex
      if (input.name) found.set(input.name, parameterOf(input, input.name, { indexed: true, word }))
    } else {
      collect(input, input.name ?? '', () => 0, head, found)
      head += headWords(input)
    }
  }
  return found
}

/** @throws MalformedLogError when a log with this event's first topic has another number of topics, or less data, than the event */
export function shapeOf(event: AbiEvent): (log: ChainLog) => void {
  const topics = 1 + event.inputs.filter(input => input.indexed === true).length
  const words = event.inputs.reduce((sum, input) => sum + (input.indexed === true ? 0 : headWords(input)), 0)
  return log => {
    if (log.topics.length !== topics) throw new MalformedLogError(`expected ${topics} topics, got ${log.topics.length}`)
    if (log.data.length < 2 + words * DIGITS) throw new MalformedLogError(`expected ${words} words of data`)
  }
}

type Base = (log: ChainLog) => number

/**
 * @param base the byte at which the encoding that contains the parameter begins
 * @param at the parameter's word in that encoding
 */
function collect(parameter: AbiParameter, name: string, base: Base, at: number, found: Map<string, EventParameter>): void {
  const word = (log: ChainLog) => wordAt(log.data, base(log) + at * WORD_BYTES)
  if (parameter.type === 'tuple') {
    const isDynamic = isDynamicType(parameter)
    const inner: Base = isDynamic ? log => base(log) + offset(word(log)) : base
    let head = isDynamic ? 0 : at
    for (const component of componentsOf(parameter)) {
      if (name !== '' && component.name) collect(component, `${name}.${component.name}`, inner, head, found)
      head += headWords(component)
    }
    return
  }
  if (name === '' || parameter.type.endsWith(']')) return
  const bytes = (log: ChainLog, maxBytes: number) => bytesAt(log.data, base(log) + offset(word(log)), maxBytes)
  found.set(name, parameterOf(parameter, name, { indexed: false, word, bytes }))
}

function parameterOf(
  { type }: AbiParameter,
  name: string,
  read: Pick<EventParameter, 'indexed' | 'word'> & Partial<Pick<EventParameter, 'bytes'>>,
): EventParameter {
  const isWord = /^(u?int\d*|address|bool|bytes\d+)$/.test(type)
  const unreadable = () => {
    throw new TypeError(`${name} is not a ${isWord ? 'word' : 'string or bytes'}`)
  }
  return { name, type, isWord, indexed: read.indexed, word: isWord ? read.word : unreadable, bytes: read.bytes ?? unreadable }
}

/** The number of words that a parameter takes in the head of its encoding. */
function headWords(parameter: AbiParameter): number {
  if (isDynamicType(parameter)) return 1
  const array = /^(.*)\[(\d+)\]$/.exec(parameter.type)
  if (array !== null) return Number(array[2]) * headWords({ ...parameter, type: array[1] ?? '' })
  if (parameter.type !== 'tuple') return 1
  return componentsOf(parameter).reduce((sum, component) => sum + headWords(component), 0)
}

function isDynamicType(parameter: AbiParameter): boolean {
  const { type } = parameter
  if (type === 'string' || type === 'bytes' || type.endsWith('[]')) return true
  const array = /^(.*)\[\d+\]$/.exec(type)
  if (array !== null) return isDynamicType({ ...parameter, type: array[1] ?? '' })
  return type === 'tuple' && componentsOf(parameter).some(isDynamicType)
}

function wordAt(data: Hex, byte: number): Hex {
  const start = 2 + byte * 2
  if (start + DIGITS > data.length) throw new MalformedLogError(`expected a word at byte ${byte}`)
  return `0x${data.slice(start, start + DIGITS)}`
}

function bytesAt(data: Hex, byte: number, maxBytes: number): string {
  const length = offset(wordAt(data, byte))
  const start = 2 + (byte + WORD_BYTES) * 2
  if (start + length * 2 > data.length) throw new MalformedLogError(`expected ${length} bytes at byte ${byte}`)
  return data.slice(start, start + Math.min(length, maxBytes) * 2)
}

/** A word as an offset or a length. @throws MalformedLogError when no data could be as long */
function offset(word: Hex): number {
  const value = BigInt(word)
  if (value > 0xffff_ffffn) throw new MalformedLogError('an offset or length is out of bounds')
  return Number(value)
}
