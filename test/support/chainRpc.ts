import { classifyNodeError } from '#rpc/classifyAnswer.ts'
import type { Rpc, RpcProvider } from '#rpc/rpc.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { faultOf, RpcError } from '#rpc/rpcFault.ts'
import { NodeFailure, type SimulatedChain } from './simulatedChain.ts'

export interface ChainRpcOptions {
  /** Changes or refuses one provider's answer; `answer` returns the chain's. */
  readonly intercept?: (provider: string, call: RpcCall, answer: () => unknown) => unknown
}

/**
 * An `Rpc` over chains in memory, one per provider, without sockets and waits: each call goes to the providers in turn until an answer is
 * accepted. Unlike the real one it has no health and no back-off.
 */
export function createChainRpc(
  chains: readonly Pick<SimulatedChain, 'answer'>[],
  { intercept }: ChainRpcOptions = {},
): Pick<Rpc, 'ask' | 'askEach' | 'preferred' | 'health' | 'lastAnswerAtMs' | 'subscribeHeads'> {
  const providers = chains.map((chain, index): RpcProvider => {
    const name = `rpc-${index + 1}`
    const one = async (call: RpcCall): Promise<unknown> => {
      await Promise.resolve()
      const answer = () => chain.answer(call.method, call.params)
      try {
        return intercept === undefined ? answer() : intercept(name, call, answer)
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error
        const { code, message } = error
        throw new RpcError(classifyNodeError(call.method, { code, text: message }, { status: 200, retryAfterMs: null }), name)
      }
    }
    return { name, call: (method, params) => one({ method, params }), calls: calls => Promise.all(calls.map(one)) }
  })

  return {
    ask: async question => {
      let last: unknown
      for (const provider of providers) {
        try {
          return await question(provider)
        } catch (error) {
          const fault = faultOf(error)
          if (fault === null || fault.kind === 'too-large' || fault.kind === 'rejected') throw error
          last = error
        }
      }
      throw last
    },
    askEach: async question => {
      const outcomes = await Promise.allSettled(providers.map(provider => question(provider)))
      const [first, ...others] = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [{ answer: outcome.value }] : []))
      if (first === undefined) throw new RpcError({ kind: 'missing', what: 'an answer' })
      return [first.answer, ...others.map(({ answer }) => answer)]
    },
    preferred: () => 'rpc-1',
    health: () => providers.map(({ name }) => ({ name, healthy: true, latencyMs: 1, errorRate: 0 })),
    lastAnswerAtMs: () => null,
    subscribeHeads: async () => null,
  }
}
