import type { AbiParameter } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import type { EntryProblem } from '#launchpads/adapter.ts'

export type Argument = string | number | boolean

/** The values that words among the arguments of a call stand for. */
export type WordValues = Readonly<Record<string, unknown>>

/**
 * What is wrong with the arguments of a function.
 *
 * @param samples the words, each with a value of the widest kind that it stands for
 */
export function argumentProblems(
  given: readonly Argument[],
  inputs: readonly AbiParameter[],
  samples: WordValues,
): readonly EntryProblem[] {
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
export function argumentValue(argument: Argument, parameter: AbiParameter | undefined, values: WordValues): unknown {
  if (typeof argument === 'string' && Object.hasOwn(values, argument)) return values[argument]
  if (typeof argument !== 'boolean' && /^u?int\d*$/.test(parameter?.type ?? '')) return BigInt(argument)
  return argument
}
