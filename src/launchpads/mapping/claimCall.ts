import { encodeFunctionData } from 'viem/utils'
import { ZERO_ADDRESS } from '#domain/address.ts'
import type { EntryProblem, LaunchpadAdapter } from '#launchpads/adapter.ts'
import { argumentProblems, argumentValue } from './callArguments.ts'
import type { Compiled, MappingInput } from './entries.ts'
import { MAX_AMOUNT } from './readers.ts'
import type { CLAIM_WORDS } from './schema.ts'
import { parseFunctionSignature } from './signature.ts'

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
