import type { AbiEvent, AbiFunction, AbiParameter } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import { type Address, type Hex, parseAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { CallAnswer, ContractCall } from '#domain/contractCall.ts'
import type { EntryProblem, LaunchpadAdapter } from '#launchpads/adapter.ts'
import { MalformedLogError, unlessMalformed } from '#launchpads/words.ts'
import type { Compiled, MappingInput } from './entries.ts'
import type { Field } from './kinds.ts'
import {
  createReaders,
  type EventParameter,
  MAX_AMOUNT,
  type MappingContext,
  parameterProblem,
  type Reader,
  type Readers,
  requireReader,
} from './readers.ts'
import type { CallMapping, CLAIM_WORDS } from './schema.ts'
import { componentsOf, parseFunctionSignature } from './signature.ts'

export type Argument = string | number | boolean

/** The values that words among the arguments of a call stand for. */
export type WordValues = Readonly<Record<string, unknown>>

/**
 * What is wrong with the arguments of a function.
 *
 * @param samples the words, each with a value of the widest kind that it stands for
 */
function argumentProblems(given: readonly Argument[], inputs: readonly AbiParameter[], samples: WordValues): readonly EntryProblem[] {
  if (given.length !== inputs.length) {
    return [{ path: ['arguments'], message: `expected ${inputs.length}, one per parameter of the function, got ${given.length}` }]
  }
  const wrong = given.findIndex((argument, index) => !fits(argument, inputs[index], samples))
  if (wrong === -1) return []
  const { type = '', name = '' } = inputs[wrong] ?? {}
  const words = Object.keys(samples).join(', ')
  const message = `expected ${words} or a value that fits ${`${type} ${name}`.trim()}, got ${JSON.stringify(given[wrong])}`
  return [{ path: ['arguments', wrong], message }]
}

function fits(argument: Argument, parameter: AbiParameter | undefined, samples: WordValues): boolean {
  if (parameter === undefined) return false
  // A narrower type could not encode every amount, and the request for the call would fail.
  if (typeof samples[String(argument)] === 'bigint' && parameter.type !== 'uint256') return false
  try {
    encodeFunctionData({
      abi: [{ type: 'function', name: 'f', stateMutability: 'view', inputs: [parameter], outputs: [] }],
      args: [argumentValue(argument, parameter, samples)],
    })
    return true
  } catch {
    return false
  }
}

/** An argument as the encoder takes it. */
function argumentValue(argument: Argument, parameter: AbiParameter | undefined, values: WordValues): unknown {
  if (typeof argument === 'string' && Object.hasOwn(values, argument)) return values[argument]
  if (typeof argument !== 'boolean' && /^u?int\d*$/.test(parameter?.type ?? '')) return BigInt(argument)
  return argument
}

const SAMPLES: Readonly<Record<(typeof CLAIM_WORDS)[number], unknown>> = {
  token: ZERO_ADDRESS,
  creator: ZERO_ADDRESS,
  currency: ZERO_ADDRESS,
  amount: 1n,
}

export function compileClaimCall({
  events: { claimCall },
  contracts,
  moreFactories = [],
}: MappingInput): Compiled<LaunchpadAdapter['claimCall']> {
  if (claimCall === undefined) return { kind: 'valid', value: () => null }
  const { contract, arguments: given } = claimCall
  const signature = parseFunctionSignature(claimCall.function)
  if (signature.kind === 'invalid') return refuse([{ path: ['function'], message: signature.problem }])
  const abi = signature.value
  const fixed = contract === 'token' ? null : contracts[contract]
  if (fixed === undefined) {
    const message = `expected the address of the ${contract} as "${contract}" beside "events", or another contract`
    return refuse([{ path: ['contract'], message }])
  }
  if (contract === 'factory' && moreFactories.length > 0) {
    const message = 'expected one contract that pays all creators, got "factory", of which there are several'
    return refuse([{ path: ['contract'], message }])
  }
  const problems = argumentProblems(given, abi.inputs, SAMPLES)
  if (problems.length > 0) return refuse(problems)
  return {
    kind: 'valid',
    value: ({ token, creator, currency, amount }) => {
      // The events of a hostile contract may add up to more than a call can name.
      if ((amount ?? 0n) > MAX_AMOUNT) return null
      const args = given.map((argument, index) => argumentValue(argument, abi.inputs[index], { token, creator, currency, amount }))
      return { to: fixed ?? token, data: encodeFunctionData({ abi: [abi], args }) }
    },
  }
}

function refuse(problems: readonly EntryProblem[]): Compiled<never> {
  return { kind: 'invalid', problems: problems.map(({ path, message }) => ({ path: ['claimCall', ...path], message })) }
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

/* Fields that a call tells, at the end of the launch's block. An answer is read like the data of an event. */

/** The name that the only value of an answer has here. */
const SOLE = 'value'

/** The values that a function returns, by name; those of a struct without a name by the names of its members. */
function resultsOf({ outputs }: AbiFunction): ReadonlyMap<string, EventParameter> {
  const named = outputs.map((output, index) => ({
    ...output,
    name: output.name || (outputs.length === 1 ? SOLE : `${SOLE}${index}`),
    indexed: false,
  }))
  const results = parametersOf({ type: 'event', name: SOLE, inputs: named })
  return new Map([...results].map(([name, result]) => [name.startsWith(`${SOLE}.`) ? name.slice(SOLE.length + 1) : name, result]))
}

export function callProblems(
  { function: text, contract, arguments: given, result }: CallMapping,
  field: Field,
  contracts: MappingInput['contracts'],
): readonly EntryProblem[] {
  const signature = parseFunctionSignature(text)
  if (signature.kind === 'invalid') return [{ path: ['function'], message: signature.problem }]
  const problems = [...argumentProblems(given ?? [], signature.value.inputs, { token: ZERO_ADDRESS })]
  if (contract === 'escrow' && contracts['escrow'] === undefined) {
    problems.push({ path: ['contract'], message: 'expected the address of the escrow as "escrow" beside "events", or another contract' })
  }
  const results = resultsOf(signature.value)
  const [only, ...others] = results.keys()
  if (result === undefined && only === undefined) {
    problems.push({ path: ['function'], message: 'expected a function that returns a value: "function name() view returns (string)"' })
  } else if (result === undefined && others.length > 0) {
    problems.push({ path: ['result'], message: `missing, expected which value counts: ${[only, ...others].join(' or ')}` })
  } else {
    const message = parameterProblem(result ?? only ?? '', field, results, 'the function returns no')
    if (message !== null) problems.push({ path: [result === undefined ? 'function' : 'result'], message })
  }
  return problems
}

/** Reads a field of a launch: from its log, or from the answer of a call. `null`: left out, or not known. */
export type LaunchFieldReader<T> = (log: ChainLog, answers: readonly CallAnswer[]) => T | null

export interface LaunchCalls {
  /** The reader of a field, which may add a call. */
  field<T>(name: string, from: (readers: Readers) => Reader<T> | null): LaunchFieldReader<T>
  /** Whether a call reads the field. */
  has(name: string): boolean
  /** The calls for a token and the key of its curve, in the order in which readers take the answers. */
  of(token: Address, curve: Hex, log: ChainLog): readonly ContractCall[]
}

export function createLaunchCalls(readers: Readers, fields: Readonly<Record<string, Field>>, context: MappingContext): LaunchCalls {
  /** The calls, by what is asked: two fields may come from one answer. */
  const calls = new Map<string, (token: Address, curve: Hex, log: ChainLog) => ContractCall>()
  return {
    has: name => readers.call(name) !== null,
    of: (token, curve, log) => [...calls.values()].map(call => call(token, curve, log)),
    field: (name, from) => {
      const mapping = readers.call(name)
      if (mapping === null) {
        const read = from(readers)
        return log => read?.(log) ?? null
      }
      const signature = parseFunctionSignature(mapping.function)
      if (signature.kind === 'invalid') throw new TypeError(`the call of ${name} has problems`)
      const { result: _, ...call } = mapping
      const key = JSON.stringify(call)
      if (!calls.has(key)) calls.set(key, callOf(mapping, signature.value, context))
      const at = [...calls.keys()].indexOf(key)
      const results = resultsOf(signature.value)
      const result = mapping.result ?? [...results.keys()][0] ?? SOLE
      const readResult = (found: ReadonlyMap<string, EventParameter>) =>
        requireReader(from(createReaders({ event: '', emitter: 'token', [name]: result }, { [name]: fields[name] as Field }, found)))
      const read = readResult(results)
      // Tokens older than the standard return a text in a word.
      const readWord = results.get(result)?.type === 'string' ? readResult(new Map([[result, WORD_TEXT]])) : read
      return (log, answers) => {
        const answer = answers[at] ?? null
        if (answer === null) return null
        return unlessMalformed(() => (answer.length === WORD_LENGTH ? readWord : read)({ ...log, data: answer }))
      }
    },
  }
}

const WORD_LENGTH = 2 + 64
const [WORD_TEXT] = [
  ...parametersOf({ type: 'event', name: SOLE, inputs: [{ type: 'bytes32', name: SOLE, indexed: false }] }).values(),
] as [EventParameter]

function callOf(mapping: CallMapping, abi: AbiFunction, { contracts, moreFactories }: MappingContext) {
  const { contract = 'token', arguments: given = [] } = mapping
  return (token: Address, curve: Hex, log: ChainLog): ContractCall => {
    const args = given.map((argument, index) => argumentValue(argument, abi.inputs[index], { token }))
    const ownCurve = parseAddress(curve) ?? log.address
    const places = {
      token,
      // The one that launched the token, if a factory did.
      factory: moreFactories.includes(log.address) ? log.address : (contracts['factory'] ?? log.address),
      curve: contracts['curve'] ?? ownCurve,
      escrow: contracts['escrow'] ?? token,
    }
    return { to: places[contract], data: encodeFunctionData({ abi: [abi], args }) }
  }
}
