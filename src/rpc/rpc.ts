import type { Logger } from 'pino'
import { type Clock, systemClock } from '#clock'
import type { RpcHealth } from '#domain/health.ts'
import { TokenwireError } from '#errors'
import { createChainCheck } from './chainCheck.ts'
import { chooseProvider } from './chooseProvider.ts'
import { isHealthy, isUsable, toRpcHealth } from './providerHealth.ts'
import { createProviders, type Provider } from './providers.ts'
import { type RpcAnswers, type RpcCall, TOGETHER_CALLS } from './rpcEndpoint.ts'
import { faultOf, RpcError } from './rpcFault.ts'
import { rpcRetryPolicy } from './rpcRetryPolicy.ts'

/** One provider, for the time of one question. */
export interface RpcProvider {
  /** `rpc-1` … */
  readonly name: string
  call(method: string, params: readonly unknown[]): Promise<unknown>
  /**
   * All of them or an error; over HTTP in one request where the provider allows it. Only up to `TOGETHER_CALLS` of them are all answered at about one time,
   * for one to tell whether another is to be believed: of more, some may be answered seconds later.
   */
  calls(calls: readonly RpcCall[]): Promise<readonly unknown[]>
}

/** Several providers of one chain as one: the first healthy one in the order of the URLs is asked. */
export interface Rpc {
  /**
   * Asks every provider for its chain and waits for those that answer soon.
   *
   * @returns the chain id
   * @throws `TokenwireError` `chain_mismatch` when every provider that answers serves another chain than the expected one,
   * `rpc_unavailable` when none answers
   */
  connect(): Promise<number>
  /**
   * Puts a question to one provider after the other until one's answer is believed: what `question` throws as `RpcError` counts
   * against the provider, like a failed call. It may be called several times; it must not keep the provider.
   *
   * @throws `RpcError` of the last attempt; anything else that `question` throws, at once
   */
  ask<T>(question: (provider: RpcProvider) => Promise<T>): Promise<T>
  /**
   * Puts a question to every healthy provider; an answer that fails is left out. Where that leaves none, it is the one that `ask` gives.
   *
   * @throws what `ask` throws
   */
  askEach<T>(question: (provider: RpcProvider) => Promise<T>): Promise<Answers<T>>
  /** EIP-1193, for viem: `custom(rpc, { retryCount: 0 })`. */
  request(call: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  /** The provider that is asked first now. */
  preferred(): string
  /** In the order of the URLs. */
  health(): readonly RpcHealth[]
  /** When any provider last answered anything, in the clock's milliseconds; `null`: none yet. */
  lastAnswerAtMs(): number | null
  /** Subscribes to the preferred provider's heads; `null` when it can't push. `onEnd` is called once when the subscription breaks. */
  subscribeHeads(onHead: () => void, onEnd: () => void): Promise<(() => void) | null>
  /** Fails everything under way and everything after it. */
  close(): void
}

/** At least one. */
export type Answers<T> = readonly [T, ...T[]]

export interface RpcOptions {
  /** In order of preference; `http`, `https`, `ws` or `wss`. */
  readonly urls: readonly string[]
  /** The expected chain; `null`: the one that the first provider to answer serves. */
  readonly chainId: number | null
  readonly logger: Logger
  readonly clock?: Clock
  /** Default `Math.random`. */
  readonly random?: () => number
  /** For the answer to one request. Default 10,000. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

const TIMEOUT_MS = 10_000
/** The longest that one question waits for a provider that asked for silence; whoever asks has longer waits of its own. */
const LONGEST_WAIT_MS = 30_000
/** So many times in a row the rest of a question's calls may be refused and nothing of it answered. */
const MOST_FRUITLESS_WAITS = 10

interface Asked {
  /** When the question was put to a provider, less what it waited there for its turn. */
  atMs: number
  /** The providers to which it need not be put: before, or at the same time, it was. */
  readonly tried: ReadonlySet<string>
}

/** @throws `TokenwireError` `config_invalid` without a URL */
export function createRpc(options: RpcOptions): Rpc {
  const { urls, chainId, logger, clock = systemClock, random = Math.random, timeoutMs = TIMEOUT_MS, fetch: fetchFn } = options
  const providers = createProviders({ urls, logger, clock, random, ...(fetchFn === undefined ? {} : { fetch: fetchFn }) })
  const check = createChainCheck({ providers, chainId, logger, clock, timeoutMs })
  const closing = new AbortController()
  /** How many answers were believed so far, of all questions. */
  let believed = 0

  const healths = () => providers.map(provider => provider.health())
  const preferred = () => providers.find(provider => isUsable(provider.health(), clock.nowMs())) ?? providers[0]
  /** Whether a usable provider is not among them. */
  const hasAnother = (tried: ReadonlySet<string>) => healths().some(health => isUsable(health, clock.nowMs()) && !tried.has(health.name))
  const pause = (ms: number) =>
    clock.sleep(ms, closing.signal).catch(() => {
      throw new RpcError({ kind: 'closed' })
    })

  const choose = async (tried: ReadonlySet<string>): Promise<Provider> => {
    const choice = chooseProvider(healths(), tried, clock.nowMs())
    const provider = choice.kind === 'ask' ? providers.find(({ name }) => name === choice.name) : undefined
    if (provider !== undefined) return provider
    if (choice.kind !== 'wait') throw new TokenwireError('chain_mismatch', 'every RPC provider serves another chain', { retryable: true })
    if (choice.afterMs > LONGEST_WAIT_MS) throw new RpcError({ kind: 'rate-limited', retryAfterMs: choice.afterMs })
    await pause(choice.afterMs)
    return choose(tried)
  }

  /** Whether a usable provider is left after this one. */
  const isAnotherLeft = ({ name }: Pick<Provider, 'name'>, { tried }: Asked) => hasAnother(new Set([...tried, name]))

  /**
   * Sends calls when it is their turn and the provider has not asked for silence, and notes its refusal of some. Where it has got into trouble while they
   * waited, and another one is left, they are refused here.
   */
  const send = ({ endpoint, turns, ...provider }: Provider, list: readonly RpcCall[], asked: Asked): Promise<RpcAnswers> => {
    const waitsSinceMs = clock.nowMs()
    return turns.take(async () => {
      const silenceMs = Math.max(0, provider.health().silentUntilMs - clock.nowMs())
      const isLeft = !isUsable(provider.health(), clock.nowMs()) && isAnotherLeft(provider, asked)
      if (isLeft || silenceMs > LONGEST_WAIT_MS) throw new RpcError({ kind: 'rate-limited', retryAfterMs: silenceMs }, provider.name)
      if (silenceMs > 0) await pause(silenceMs)
      const startedAtMs = clock.nowMs()
      asked.atMs += startedAtMs - waitsSinceMs
      const answers = await endpoint.send(list, timeoutMs)
      const { results, refusal } = answers
      const span = { startedAtMs, nowMs: clock.nowMs() }
      if (refusal === null) turns.answered()
      else {
        if (results.length > 0) provider.answered(span)
        provider.failed(refusal.fault, span)
        turns.refused()
      }
      return answers
    })
  }

  /**
   * All calls to one provider. Where it answers some and refuses the rest for coming too fast, and no other one is left to be asked, the rest is asked for
   * later: beyond what it takes at a time, all of many would never be answered together. Of few, none is kept.
   */
  const callAll = async (provider: Provider, list: readonly RpcCall[], asked: Asked): Promise<readonly unknown[]> => {
    const answered: unknown[] = []
    for (let fruitless = 0; ; ) {
      const { results, refusal } = await send(provider, list.slice(answered.length), asked)
      if (refusal === null) return [...answered, ...results]
      const kept = list.length > TOGETHER_CALLS ? results : []
      fruitless = kept.length > 0 ? 0 : fruitless + 1
      if (isAnotherLeft(provider, asked) || answered.length + results.length === 0 || fruitless > MOST_FRUITLESS_WAITS) throw refusal
      answered.push(...kept)
    }
  }

  const attempt = async <T>(
    provider: Provider,
    question: (provider: RpcProvider) => Promise<T>,
    tried: ReadonlySet<string>,
  ): Promise<T> => {
    const { name } = provider
    if (provider.health().chain !== 'right') await check.identify(provider)
    const asked: Asked = { atMs: clock.nowMs(), tried }
    const calls = (list: readonly RpcCall[]) => callAll(provider, list, asked)
    const span = () => ({ startedAtMs: asked.atMs, nowMs: clock.nowMs() })
    try {
      const answer = await question({ name, calls, call: async (method, params) => (await calls([{ method, params }]))[0] })
      provider.answered(span())
      believed++
      return answer
    } catch (error) {
      const fault = faultOf(error)
      if (fault === null) throw error
      // A refusal was noted when it came.
      if (fault.kind !== 'rate-limited') provider.failed(fault, span())
      throw error instanceof RpcError && error.provider !== null ? error : new RpcError(fault, name)
    }
  }

  const ask = async <T>(question: (provider: RpcProvider) => Promise<T>): Promise<T> => {
    const tried = new Set<string>()
    const believedBefore = believed
    for (let count = 1; ; count++) {
      if (closing.signal.aborted) throw new RpcError({ kind: 'closed' })
      check.probeIdle()
      const provider = await choose(tried)
      try {
        return await attempt(provider, question, tried)
      } catch (error) {
        const fault = faultOf(error)
        if (fault === null) throw error
        tried.add(provider.name)
        const another = hasAnother(tried)
        const othersAnswered = believed > believedBefore
        const decision = rpcRetryPolicy(fault, { attempt: count, providers: providers.length, another, othersAnswered, random: random() })
        if (decision.kind === 'give-up') throw error
        if (decision.afterMs > 0) await pause(decision.afterMs)
      }
    }
  }

  return {
    connect: check.connect,
    ask,
    askEach: async question => {
      // None is to leave it to another.
      const all = new Set(providers.map(({ name }) => name))
      const healthy = providers.filter(provider => isHealthy(provider.health(), clock.nowMs()))
      const outcomes = await Promise.allSettled(healthy.map(provider => attempt(provider, question, all)))
      const [first, ...others] = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [{ answer: outcome.value }] : []))
      return first === undefined ? [await ask(question)] : [first.answer, ...others.map(({ answer }) => answer)]
    },
    request: ({ method, params }) => ask(provider => provider.call(method, Array.isArray(params) ? params : [])),
    preferred: () => preferred()?.name ?? 'rpc-1',
    health: () => healths().map(health => toRpcHealth(health, clock.nowMs())),
    lastAnswerAtMs: () => Math.max(...healths().map(({ lastAnswerAtMs }) => lastAnswerAtMs ?? 0)) || null,
    subscribeHeads: async (onHead, onEnd) => (await preferred()?.endpoint.subscribeHeads?.(onHead, onEnd, timeoutMs)) ?? null,
    close: () => {
      closing.abort()
      for (const { endpoint } of providers) endpoint.close()
    },
  }
}
