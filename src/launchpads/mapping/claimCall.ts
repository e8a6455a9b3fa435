import type { AbiParameter } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import { ZERO_ADDRESS } from '#domain/address.ts'
import type { ClaimTarget } from '#domain/claimable.ts'
import type { EntryProblem, LaunchpadAdapter } from '#launchpads/adapter.ts'
import type { Compiled, MappingInput } from './entries.ts'
import { CLAIM_WORDS } from './schema.ts'
import { parseFunctionSignature } from './signature.ts'

type Argument = string | number | boolean
type ClaimWord = (typeof CLAIM_WORDS)[number]

const SAMPLE = { token: ZERO_ADDRESS, creator: ZERO_ADDRESS, currency: ZERO_ADDRESS, amount: 1n }

/** The most that a call can name. The events of a hostile contract may add up to more. */
const MAX_AMOUNT = 2n ** 256n - 1n

export function compileClaimCall({ events: { claimCall }, contracts }: MappingInput): Compiled<LaunchpadAdapter['claimCall']> {
  if (claimCall === undefined) return { ok: true, value: () => null }
  const { contract, arguments: given } = claimCall
  const signature = parseFunctionSignature(claimCall.function)
  if (!signature.ok) return refuse(['function'], signature.problem)
  const abi = signature.value
  const fixed = contract === 'token' ? null : contracts[contract]
  if (fixed === undefined) {
    return refuse(['contract'], `expected the address of the ${contract} as "${contract}" beside "events", or another contract`)
  }
  if (given.length !== abi.inputs.length) {
    return refuse(['arguments'], `expected ${abi.inputs.length}, one per parameter of the function, got ${given.length}`)
  }
  const wrong = given.findIndex((argument, index) => !fits(argument, abi.inputs[index]))
  if (wrong !== -1) {
    const { type = '', name = '' } = abi.inputs[wrong] ?? {}
    const shown = JSON.stringify(given[wrong])
    return refuse(['arguments', wrong], `expected ${CLAIM_WORDS.join(', ')} or a value that fits ${`${type} ${name}`.trim()}, got ${shown}`)
  }
  return {
    ok: true,
    value: target => {
      if ((target.amount ?? 0n) > MAX_AMOUNT) return null
      const args = given.map((argument, index) => valueOf(argument, abi.inputs[index], target))
      return { to: fixed ?? target.token, data: encodeFunctionData({ abi: [abi], args }) }
    },
  }
}

function refuse(path: EntryProblem['path'], message: string): Compiled<never> {
  return { ok: false, problems: [{ path: ['claimCall', ...path], message }] }
}

function fits(argument: Argument, parameter: AbiParameter | undefined): boolean {
  if (parameter === undefined) return false
  // A narrower type could not encode every amount, and the request for the call would fail.
  if (argument === 'amount' && parameter.type !== 'uint256') return false
  try {
    encodeFunctionData({
      abi: [{ type: 'function', name: 'f', stateMutability: 'view', inputs: [parameter], outputs: [] }],
      args: [valueOf(argument, parameter, SAMPLE)],
    })
    return true
  } catch {
    return false
  }
}

/** An argument as the encoder takes it. */
function valueOf(argument: Argument, parameter: AbiParameter | undefined, target: Pick<ClaimTarget, ClaimWord>): unknown {
  if (isClaimWord(argument)) return target[argument]
  if (typeof argument !== 'boolean' && /^u?int\d*$/.test(parameter?.type ?? '')) return BigInt(argument)
  return argument
}

function isClaimWord(argument: Argument): argument is ClaimWord {
  return (CLAIM_WORDS as readonly Argument[]).includes(argument)
}
