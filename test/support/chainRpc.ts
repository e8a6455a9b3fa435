import pino, { type Logger } from 'pino'
import { type Clock, systemClock } from '#clock'
import { createHeaderCheck } from '#rpc/chainCheck.ts'
import { afterLogsAnswer, afterLogsRefusal, exceededLimit, type Limits, mayBeTooLarge, UNLIMITED, unlimitedUpTo } from '#rpc/limits.ts'
import { Limiter, type QueryOptions, type RpcProvider } from '#rpc/provider.ts'
import type { Answers, Question, Rpc } from '#rpc/rpc.ts'
import { classifyNodeError, type RpcCall } from '#rpc/rpcEndpoint.ts'
import { faultOf, RpcError } from '#rpc/rpcFault.ts'
import { rpcHealth } from './rpcHealth.ts'
import { NodeFailure, type SimulatedChain } from './simulatedChain.ts'

export interface ChainRpcOptions {
  /** Changes or refuses one provider's answer; `answer` returns the chain's. */
  readonly intercept?: (provider: string, call: RpcCall, answer: () => unknown) => unknown
  /** Addresses that are asked for in one query of logs, at most. Default: as in production. */
  readonly maxAddresses?: number | undefined
  /** For the times of headers. Default: the machine's. */
  readonly clock?: Pick<Clock, 'epochMs'>
  readonly logger?: Pick<Logger, 'warn'>
}

/**
 * An `Rpc` over chains in memory, one per provider, without sockets and waits: each call goes to the providers in turn until an answer is
 * accepted. It has the limits of the real one, and neither its health nor its silence.
 */
export function createChainRpc(
  chains: readonly Pick<SimulatedChain, 'answer'>[],
  { intercept, maxAddresses, clock = systemClock, logger = pino({ level: 'silent' }) }: ChainRpcOptions = {},
): Pick<Rpc, 'ask' | 'askEach' | 'second' | 'headers' | 'preferred' | 'health' | 'troubles' | 'lastAnswerAtMs' | 'subscribeHeads'> {
  const initial: Limits = { ...UNLIMITED, ...(maxAddresses !== undefined && { addresses: unlimitedUpTo(maxAddresses, 1.5) }) }
  const providers = chains.map((chain, index): RpcProvider => {
    const name = `rpc-${index + 1}`
    const limiter = new Limiter(initial)
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
    const ask = async (calls: readonly RpcCall[], { smaller = [] }: QueryOptions = {}): Promise<readonly unknown[]> => {
      try {
        return await Promise.all(calls.map(one))
      } catch (error) {
        const fault = faultOf(error)
        if (fault === null || !mayBeTooLarge(fault, 1)) throw error
        const isAnswered = (call: RpcCall) =>
          one(call).then(
            () => true,
            () => false,
          )
        const limit = await exceededLimit(smaller, fault, isAnswered)
        throw limit === null ? error : new RpcError({ kind: 'too-large', limit, cause: fault }, name)
      }
    }
    return {
      name,
      get limits() {
        return limiter.limits
      },
      checkHeader: header => headers.check(header),
      call: async (call, options) => (await ask([call], options))[0],
      calls: ask,
      logsAnswered: query => limiter.update(afterLogsAnswer(limiter.limits, query)),
      logsRefused: (query, limit) => limiter.update(afterLogsRefusal(limiter.limits, query, limit)),
    }
  })
  const [first] = providers
  if (first === undefined) throw new RangeError('a chain without a provider')

  const askEach = async <T>(question: Question<T>): Promise<Answers<T>> => {
    const outcomes = await Promise.allSettled(providers.map(provider => question(provider)))
    const [first, ...others] = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [{ answer: outcome.value }] : []))
    if (first === undefined) throw new RpcError({ kind: 'missing', what: 'an answer' })
    return [first.answer, ...others.map(({ answer }) => answer)]
  }
  const headers = createHeaderCheck({ askEach, providers: providers.length, clock, logger })

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
    askEach,
    second: () => {
      const [, second] = providers
      return second === undefined ? null : { ask: question => question(second), preferred: () => second }
    },
    headers,
    preferred: () => first,
    health: () => providers.map(({ name }) => rpcHealth({ name })),
    troubles: () => [],
    lastAnswerAtMs: () => null,
    subscribeHeads: async () => null,
  }
}
