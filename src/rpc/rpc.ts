import type { Logger } from 'pino'
import { type Clock, systemClock } from '#clock'
import { TokenwireError } from '#errors'
import type { RpcHealth } from '#resources/health.ts'
import { askProviders } from './askProviders.ts'
import { createChainCheck, createHeaderCheck, type HeaderCheck } from './chainCheck.ts'
import type { QueryOptions, RpcProvider } from './provider.ts'
import { createProviders, type Provider, type ProviderCallOptions } from './provider.ts'
import { isComparable, isHealthy, isUsable, troubleOf } from './providerHealth.ts'
import type { RpcCall } from './rpcEndpoint.ts'
import { faultOf, isLost, RpcError } from './rpcFault.ts'

/** Several providers of one chain as one: the first healthy one in the order of the URLs is asked. */
export interface Rpc {
  /**
   * Asks every provider for its chain and waits for those that answer soon.
   *
   * @returns the chain id
   * @throws `TokenwireError` `chain_mismatch` when every provider that answers serves another chain than the expected one, or two serve
   * different chains and none is expected; `rpc_unavailable` when none answers
   */
  connect(): Promise<number>
  /**
   * Puts a question to one provider after the other until an answer is believed: what `question` throws as `RpcError` counts against the
   * provider, like a failed call. The function may be called several times, and must not keep the provider.
   *
   * @throws `RpcError` of the last attempt; anything else that `question` throws, at once
   */
  ask<T>(question: Question<T>, options?: AskOptions): Promise<T>
  /**
   * Puts a question to every healthy provider. Providers that fail are left out; if all fail, the only answer is the one from `ask`.
   *
   * @throws what `ask` throws
   */
  askEach<T>(question: Question<T>): Promise<Answers<T>>
  /**
   * The provider that would be asked if the preferred one failed, to compare its answers; `null`: there is none that works. `ask` puts a
   * question to it once, and throws `RpcError` when it fails.
   */
  second(): Pick<Rpc, 'ask' | 'preferred'> | null
  /** Which headers are believed. */
  readonly headers: Pick<HeaderCheck, 'assertAgreed' | 'warning'>
  /** EIP-1193, for viem: `custom(rpc, { retryCount: 0 })`. */
  request(call: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  /** The provider that is asked first now. */
  preferred(): Pick<RpcProvider, 'name' | 'limits'>
  /** The health of each provider, in the order of the URLs. */
  health(): readonly RpcHealth[]
  /** Why providers are not healthy, with what they said. */
  troubles(): readonly string[]
  /** When any provider last answered anything, in the clock's milliseconds; `null`: none yet. */
  lastAnswerAtMs(): number | null
  /** Subscribes to the preferred provider's heads; `null` when it can't push. `onEnd` is called once when the subscription breaks. */
  subscribeHeads(onHead: () => void, onEnd: () => void): Promise<(() => void) | null>
  /** Fails everything under way and everything after it. */
  close(): void
}

export interface AskOptions {
  /**
   * Whether another provider is asked, too, when the first one answers nothing for some time: the first answer is taken, and what the other
   * provider is still asked fails. For what the newest block waits for, not for long answers. Default false.
   */
  readonly isUrgent?: boolean
}

export type Question<T> = (provider: RpcProvider) => Promise<T>

/** At least one. */
export type Answers<T> = readonly [T, ...T[]]

export interface RpcOptions {
  /** In order of preference; `http`, `https`, `ws` or `wss`. */
  readonly urls: readonly string[]
  /** The expected chain; `null`: the chain that all answering providers serve. */
  readonly chainId: number | null
  readonly logger: Logger
  readonly clock?: Clock
  /** Default `Math.random`. */
  readonly random?: () => number
  /** For the answer to one request. Default 10,000. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

/** For each request to a provider whose answer is compared with those of others: all wait for the slowest. */
const EACH_TIMEOUT_MS = 3_000

/** @throws `TokenwireError` `config_invalid` without a URL */
export function createRpc(options: RpcOptions): Rpc {
  const { chainId, logger, clock = systemClock, random = Math.random } = options
  const [firstProvider, ...otherProviders] = createProviders({ ...options, clock })
  if (firstProvider === undefined) throw new TokenwireError('config_invalid', 'RPC_URLS must name at least one RPC endpoint')
  const providers = [firstProvider, ...otherProviders]
  const headers = createHeaderCheck({ askEach: question => askAll(isComparable, question), providers: providers.length, clock, logger })
  const check = createChainCheck({ providers, chainId, logger, clock, headers })
  const closing = new AbortController()
  /** How many answers were believed so far, to all questions. */
  let believed = 0

  const preferred = () => providers.find(provider => isUsable(provider, clock.nowMs())) ?? firstProvider
  const pause = (ms: number) =>
    clock.sleep(ms, closing.signal).catch(() => {
      throw new RpcError({ kind: 'closed' })
    })

  /** Puts the question to one provider, once. */
  const attempt = async <T>(
    provider: Provider,
    question: Question<T>,
    options: ProviderCallOptions = {},
    isOver = () => false,
  ): Promise<T> => {
    if (provider.health.chain !== 'right') await check.identify(provider)
    let sentAtMs = clock.nowMs()
    const calls = async (list: readonly RpcCall[], query: QueryOptions = {}) => {
      if (isOver()) throw new RpcError({ kind: 'closed' })
      const answers = await provider.call(list, {
        ...options,
        ...query,
        onAnswered: atMs => {
          sentAtMs = atMs
          options.onAnswered?.(atMs)
        },
      })
      if (isOver()) throw new RpcError({ kind: 'closed' })
      return answers
    }
    try {
      const answer = await question({
        name: provider.name,
        get limits() {
          return provider.limits
        },
        checkHeader: headers.check,
        calls,
        call: async (call, query) => (await calls([call], query))[0],
        logsAnswered: query => provider.logsAnswered(query),
        logsRefused: (query, limit) => provider.logsRefused(query, limit),
      })
      provider.believed(sentAtMs)
      believed++
      return answer
    } catch (error) {
      const fault = faultOf(error)
      if (fault === null) throw error
      // A lost request is in the provider's health already.
      if (!isLost(fault)) provider.failed(fault, sentAtMs)
      throw error instanceof RpcError && error.provider !== null ? error : new RpcError(fault, provider.name)
    }
  }

  const ask: Rpc['ask'] = async (question, { isUrgent = false } = {}) => {
    const believedBefore = believed
    return askProviders({
      providers,
      clock,
      random,
      isUrgent,
      othersAnswered: () => believed > believedBefore,
      beforeStep: () => {
        if (closing.signal.aborted) throw new RpcError({ kind: 'closed' })
        check.probeIdle()
      },
      pause,
      attempt: (provider, options, isOver) => attempt(provider, question, options, isOver),
    })
  }

  const askAll = async <T>(isAsked: typeof isHealthy, question: Question<T>): Promise<Answers<T>> => {
    const asked = providers.filter(provider => isAsked(provider, clock.nowMs()))
    const outcomes = await Promise.allSettled(asked.map(provider => attempt(provider, question, { timeoutMs: EACH_TIMEOUT_MS })))
    const [first, ...others] = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [{ answer: outcome.value }] : []))
    return first === undefined ? [await ask(question)] : [first.answer, ...others.map(({ answer }) => answer)]
  }

  return {
    connect: check.connect,
    ask,
    askEach: question => askAll(isHealthy, question),
    second: () => {
      const [, second] = providers.filter(provider => isUsable(provider, clock.nowMs()))
      if (second === undefined) return null
      const options: ProviderCallOptions = { timeoutMs: EACH_TIMEOUT_MS, hasAnother: () => true }
      return { preferred: () => second, ask: question => attempt(second, question, options) }
    },
    headers,
    request: ({ method, params }) => ask(provider => provider.call({ method, params: Array.isArray(params) ? params : [] })),
    preferred,
    health: () => providers.map(provider => provider.report()),
    troubles: () => providers.flatMap(provider => troubleOf(provider, clock.nowMs()) ?? []),
    lastAnswerAtMs: () => Math.max(...providers.map(({ health }) => health.lastAnswerAtMs ?? 0)) || null,
    subscribeHeads: async (onHead, onEnd) => (await preferred().endpoint.subscribeHeads?.(onHead, onEnd)) ?? null,
    close: () => {
      closing.abort()
      for (const provider of providers) provider.close()
    },
  }
}
