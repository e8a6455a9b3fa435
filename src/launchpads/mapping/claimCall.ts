import type { AbiFunction, AbiParameter } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import { ZERO_ADDRESS } from '#domain/address.ts'
import type { ClaimCall, ClaimTarget } from '#launchpads/adapter.ts'
import type { MappingInput } from './entries.ts'
import type { Problem } from './readers.ts'
import { CLAIM_WORDS } from './schema.ts'
import { parseFunctionSignature } from './signature.ts'

type Argument = string | number | boolean
type BuildClaimCall = (target: ClaimTarget) => ClaimCall | null

export type CompiledClaimCall =
  | { readonly ok: true; readonly value: BuildClaimCall }
  | { readonly ok: false; readonly problems: readonly Problem[] }

const SAMPLE: ClaimTarget = {
  token: ZERO_ADDRESS,
  creator: ZERO_ADDRESS,
  currency: ZERO_ADDRESS,
  scope: 'token',
  claimId: null,
  amount: 1n,
}

/** What a call can name. A contract that lies may have told of more, in several events. */
const MOST_AMOUNT = 2n ** 256n - 1n

/** What builds the call that pays a creator out, or all that is wrong with its mapping. Without one there is no call. */
export function compileClaimCall({ events: { claimCall }, contracts }: MappingInput): CompiledClaimCall {
  if (claimCall === undefined) return { ok: true, value: () => null }
  const refuse = (path: Problem['path'], message: string): CompiledClaimCall => ({
    ok: false,
    problems: [{ path: ['claimCall', ...path], message }],
  })
  const signature = parseFunctionSignature(claimCall.function)
  if (!signature.ok) return refuse(['function'], signature.problem)
  const { value: abi } = signature
  const fixed = claimCall.contract === 'token' ? null : contracts[claimCall.contract]
  if (fixed === undefined) {
    return refuse(
      ['contract'],
      `expected the address of the ${claimCall.contract} as "${claimCall.contract}" beside "events", or another contract`,
    )
  }
  if (claimCall.arguments.length !== abi.inputs.length) {
    const count = claimCall.arguments.length
    return refuse(['arguments'], `expected ${abi.inputs.length}, one per parameter of the function, got ${count}`)
  }
  const wrong = claimCall.arguments.findIndex((argument, index) => !fits(argument, abi.inputs[index]))
  if (wrong !== -1) {
    const { type = '', name = '' } = abi.inputs[wrong] ?? {}
    const shown = JSON.stringify(claimCall.arguments[wrong])
    return refuse(['arguments', wrong], `expected ${CLAIM_WORDS.join(', ')} or a value that fits ${`${type} ${name}`.trim()}, got ${shown}`)
  }
  const build: BuildClaimCall = target =>
    (target.amount ?? 0n) > MOST_AMOUNT ? null : { to: fixed ?? target.token, data: encode(abi, claimCall.arguments, target) }
  return { ok: true, value: build }
}

function encode(abi: AbiFunction, given: readonly Argument[], target: ClaimTarget) {
  return encodeFunctionData({ abi: [abi], args: given.map((argument, index) => valueOf(argument, abi.inputs[index], target)) })
}

function fits(argument: Argument, parameter: AbiParameter | undefined): boolean {
  if (parameter === undefined) return false
  const isAmount = argument === 'amount'
  // Encoding an amount that is larger than its type fails when somebody asks for the call: only a full word takes every one.
  if (isAmount && parameter.type !== 'uint256') return false
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

/** An argument's value as the encoder takes it. */
function valueOf(argument: Argument, parameter: AbiParameter | undefined, target: ClaimTarget): unknown {
  if (isClaimWord(argument)) return target[argument]
  if (typeof argument !== 'boolean' && /^u?int\d*$/.test(parameter?.type ?? '')) return BigInt(argument)
  return argument
}

function isClaimWord(argument: Argument): argument is (typeof CLAIM_WORDS)[number] {
  return (CLAIM_WORDS as readonly Argument[]).includes(argument)
}
