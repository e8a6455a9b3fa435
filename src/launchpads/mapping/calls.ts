import type { AbiFunction } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import { type Address, type Hex, parseAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { CallAnswer, ContractCall } from '#domain/contractCall.ts'
import type { EntryProblem } from '#launchpads/adapter.ts'
import { unlessMalformed } from '#launchpads/malformedLog.ts'
import { argumentProblems, argumentValue } from './callArguments.ts'
import type { MappingContext } from './context.ts'
import type { MappingInput } from './entries.ts'
import type { Field } from './kinds.ts'
import { type EventParameter, parametersOf } from './parameters.ts'
import { createReaders, parameterProblem, type Reader, type Readers, requireReader } from './readers.ts'
import type { CallMapping } from './schema.ts'
import { parseFunctionSignature } from './signature.ts'

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
