import type { Logger } from 'pino'
import { type Clock, systemClock } from '#clock'
import { TokenwireError } from '#errors'
import type { RpcHealth } from '#resources/health.ts'
import { createChainCheck, createHeaderCheck, type HeaderCheck } from './chainCheck.ts'
import { MAX_SILENCE_WAIT_MS } from './limits.ts'
import { createProviders, type Provider, type ProviderCallOptions, type QueryOptions, type RpcProvider } from './provider.ts'
import { backOffUntilMs, isComparable, isHealthy, isUsable, type ProviderState, slowAfterMs, troubleOf } from './providerHealth.ts'
import type { RpcCall } from './rpcEndpoint.ts'
import { faultOf, isLost, RpcError, type RpcFault } from './rpcFault.ts'

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

/** One question, and how to put it to a provider. */
export interface Asking<T> {
  readonly providers: readonly Provider[]
  readonly clock: Clock
  readonly random: () => number
  /** Whether the next provider is asked, too, while the first one does not answer at all. */
  readonly isUrgent: boolean
  /** Whether other questions were answered since this one was asked. */
  readonly othersAnswered: () => boolean
  /** Called before each step. Throws once nothing may be asked any more. */
  readonly beforeStep: () => void
  readonly pause: (ms: number) => Promise<void>
  /** Puts the question to one provider, once. Its calls fail once the question is answered: `isOver`. */
  readonly attempt: (provider: Provider, options: ProviderCallOptions, isOver: () => boolean) => Promise<T>
}

type Outcome<T> = { readonly kind: 'answer'; readonly answer: T; readonly by: Provider } | { readonly kind: 'failure' }

/**
 * Puts a question to one provider after the other until an answer is believed. `nextStep` and `resendAfterMs` decide what is tried next.
 *
 * @throws what the last attempt threw
 */
async function askProviders<T>({ providers, clock, random, isUrgent, pause, ...asking }: Asking<T>): Promise<T> {
  let state = NOTHING_TRIED
  let isOver = false
  const take = (event: AskEvent) => {
    state = afterAskEvent(state, event)
  }
  const facts = () => ({ providers, nowMs: clock.nowMs(), othersAnswered: asking.othersAnswered(), random: random() })
  const another = () => untried(state.tried, { providers, nowMs: clock.nowMs() })

  const attempt = async (provider: Provider): Promise<Outcome<T>> => {
    const { name } = provider
    take({ kind: 'asked', provider: name })
    const options: ProviderCallOptions = {
      hasAnother: () => another() !== null,
      onAnswered: () => take({ kind: 'answered', provider: name }),
      sendAgain: async (fault, answered) => {
        const afterMs = isOver ? null : resendAfterMs(state, { provider, fault, answered }, facts())
        if (afterMs === null) return false
        take({ kind: 'resent', provider: name })
        if (afterMs > 0) await pause(afterMs)
        return true
      },
    }
    try {
      return { kind: 'answer', answer: await asking.attempt(provider, options, () => isOver), by: provider }
    } catch (error) {
      take({ kind: 'failed', provider: name, error })
      return { kind: 'failure' }
    }
  }

  /** An attempt, and one with the next provider once this one has answered nothing for long. */
  const attemptInTime = async (provider: Provider): Promise<Outcome<T>> => {
    const askedAtMs = clock.nowMs()
    const first = attempt(provider)
    if (!isUrgent || !(await isSlow(provider, first, clock))) return first
    const next = another()
    if (next === null) return first
    const outcome = await firstAnswer([first, attemptInTime(next)])
    if (outcome.kind === 'answer') {
      isOver = true
      if (outcome.by !== provider) provider.failed({ kind: 'slow' }, askedAtMs)
    }
    return outcome
  }

  for (;;) {
    asking.beforeStep()
    const step = nextStep(state, facts())
    switch (step.kind) {
      case 'ask': {
        const outcome = await attemptInTime(step.provider)
        if (outcome.kind === 'answer') return outcome.answer
        break
      }
      case 'wait':
        await pause(step.forMs)
        take({ kind: 'waited' })
        break
      case 'giveUp':
        throw step.error
    }
  }
}

/** Whether the provider answers nothing for long, this question or another, before the attempt ends. */
async function isSlow(provider: Provider, attempt: Promise<unknown>, clock: Clock): Promise<boolean> {
  const startedAtMs = clock.nowMs()
  let timer: NodeJS.Timeout | undefined
  const ended = attempt.then(() => true)
  try {
    for (;;) {
      const quietMs = clock.nowMs() - Math.max(startedAtMs, provider.health.lastAnswerAtMs ?? 0)
      const leftMs = slowAfterMs(provider.health) - quietMs
      if (leftMs <= 0) return true
      const waited = new Promise<boolean>(resolve => {
        timer = setTimeout(resolve, leftMs, false)
      })
      if (await Promise.race([ended, waited])) return false
    }
  } finally {
    clearTimeout(timer)
  }
}

/** The first answer, or the last failure. */
async function firstAnswer<T>(attempts: readonly Promise<Outcome<T>>[]): Promise<Outcome<T>> {
  const { promise, resolve } = Promise.withResolvers<Outcome<T>>()
  let left = attempts.length
  for (const attempt of attempts) void attempt.then(outcome => (--left === 0 || outcome.kind === 'answer') && resolve(outcome))
  return promise
}

/** What was tried for one question. */
export interface AskState {
  /** Names of the providers that were asked. */
  readonly tried: ReadonlySet<string>
  /** Failed attempts and lost requests. */
  readonly failures: number
  /** How many of the failures are lost requests of an attempt under way, since its last answer. By provider. */
  readonly losses: ReadonlyMap<string, number>
  /** What the last attempt has thrown, until the wait after it is over. */
  readonly failure: { readonly error: unknown } | null
}

export type AskEvent =
  /** An attempt with this provider begins. */
  | { readonly kind: 'asked'; readonly provider: string }
  /** A request of its attempt was answered; was lost, and is sent again. */
  | { readonly kind: 'answered' | 'resent'; readonly provider: string }
  | { readonly kind: 'failed'; readonly provider: string; readonly error: unknown }
  | { readonly kind: 'waited' }

/** What the decisions depend on besides what was tried. */
export interface AskFacts<P extends ProviderState> {
  /** The providers, in the order of preference. */
  readonly providers: readonly P[]
  readonly nowMs: number
  /** Whether other questions were answered since this one was asked. */
  readonly othersAnswered: boolean
  /** 0 to 1, spreads the delays. */
  readonly random: number
}

export type AskStep<P> =
  | { readonly kind: 'ask'; readonly provider: P }
  | { readonly kind: 'wait'; readonly forMs: number }
  | { readonly kind: 'giveUp'; readonly error: unknown }

export const NOTHING_TRIED: AskState = { tried: new Set(), failures: 0, losses: new Map(), failure: null }

export function afterAskEvent(state: AskState, event: AskEvent): AskState {
  switch (event.kind) {
    case 'asked':
      return { ...state, tried: new Set([...state.tried, event.provider]), failure: null }
    case 'answered':
      return { ...withLosses(state, event.provider, 0), failures: state.failures - lossesOf(state, event.provider) }
    case 'resent':
      return { ...withLosses(state, event.provider, lossesOf(state, event.provider) + 1), failures: state.failures + 1 }
    case 'failed':
      return { ...withLosses(state, event.provider, 0), failures: state.failures + 1, failure: { error: event.error } }
    case 'waited':
      return { ...state, failure: null }
  }
}

/** What to do when no attempt is under way. */
export function nextStep<P extends ProviderState>({ tried, failures, failure }: AskState, facts: AskFacts<P>): AskStep<P> {
  if (failure !== null) {
    const fault = faultOf(failure.error)
    const waitMs = fault === null ? null : retryAfterMs(fault, failures, tried, facts)
    if (waitMs === null) return { kind: 'giveUp', error: failure.error }
    if (waitMs > 0) return { kind: 'wait', forMs: waitMs }
  }
  const choice = chooseProvider(facts.providers, tried, facts.nowMs)
  switch (choice.kind) {
    case 'ask':
      return choice
    case 'none':
      return { kind: 'giveUp', error: new TokenwireError('chain_mismatch', 'every RPC provider serves another chain', { retryable: true }) }
    case 'wait':
      if (choice.afterMs <= MAX_SILENCE_WAIT_MS) return { kind: 'wait', forMs: choice.afterMs }
      return { kind: 'giveUp', error: new RpcError({ kind: 'rate-limited', retryAfterMs: choice.afterMs, text: '' }) }
  }
}

/**
 * After how many milliseconds an attempt sends a lost request again; `null`: the attempt fails. It fails while another provider is untried,
 * and when it has no answers yet and a new attempt would ask another provider.
 */
export function resendAfterMs<P extends ProviderState>(
  { tried, failures }: AskState,
  { provider, fault, answered }: { readonly provider: P; readonly fault: RpcFault; readonly answered: number },
  facts: AskFacts<P>,
): number | null {
  const { providers, nowMs } = facts
  if (untried(tried, facts) !== null || provider.limits.silentUntilMs - nowMs > MAX_SILENCE_WAIT_MS) return null
  const next = chooseProvider(providers, tried, nowMs)
  if (answered === 0 && (next.kind === 'none' || next.provider !== provider)) return null
  return retryAfterMs(fault, failures + 1, tried, facts)
}

/** The first usable provider that was not asked; `null`: there is none. */
function untried<P extends ProviderState>(
  tried: ReadonlySet<string>,
  { providers, nowMs }: Pick<AskFacts<P>, 'providers' | 'nowMs'>,
): P | null {
  return providers.find(one => !tried.has(one.name) && isUsable(one, nowMs)) ?? null
}

/** `null`: it is not asked again. */
function retryAfterMs<P extends ProviderState>(
  fault: RpcFault,
  failures: number,
  tried: ReadonlySet<string>,
  facts: AskFacts<P>,
): number | null {
  const { providers, othersAnswered, random } = facts
  const hasAnother = untried(tried, facts) !== null
  const decision = rpcRetryPolicy(fault, { failures, providers: providers.length, hasAnother, othersAnswered, random })
  return decision.kind === 'retry' ? decision.afterMs : null
}

function lossesOf({ losses }: AskState, provider: string): number {
  return losses.get(provider) ?? 0
}

function withLosses(state: AskState, provider: string, losses: number): AskState {
  return { ...state, losses: new Map(state.losses).set(provider, losses) }
}

export type ProviderChoice<P> =
  | { readonly kind: 'ask'; readonly provider: P }
  /** The best provider has asked for silence; it may be asked after this many milliseconds. */
  | { readonly kind: 'wait'; readonly provider: P; readonly afterMs: number }
  /** Every provider serves another chain. */
  | { readonly kind: 'none' }

/**
 * Which provider is asked next: the first in the order of `RPC_URLS` that is usable and was not tried for this question. When none is left,
 * the one that failed longest ago: when all providers are in trouble, the first that works again is found at once. But a provider that
 * fails again and again is not asked in place of one that only asked for silence.
 */
export function chooseProvider<P extends ProviderState>(all: readonly P[], tried: ReadonlySet<string>, nowMs: number): ProviderChoice<P> {
  const usable = all.find(provider => isUsable(provider, nowMs) && !tried.has(provider.name))
  if (usable !== undefined) return { kind: 'ask', provider: usable }

  const onChain = all.filter(({ health }) => health.chain !== 'wrong')
  const [best] = onChain
    .filter(({ limits }) => nowMs >= limits.silentUntilMs)
    .toSorted((a, b) => rank(a, tried) - rank(b, tried) || backOffUntilMs(a.health) - backOffUntilMs(b.health))
  const [first] = onChain
    .filter(({ limits }) => nowMs < limits.silentUntilMs)
    .toSorted((a, b) => a.limits.silentUntilMs - b.limits.silentUntilMs)
  if (first === undefined) return best === undefined ? { kind: 'none' } : { kind: 'ask', provider: best }
  const { silentUntilMs } = first.limits
  if (best !== undefined && backOffUntilMs(best.health) <= silentUntilMs) return { kind: 'ask', provider: best }
  return { kind: 'wait', provider: first, afterMs: silentUntilMs - nowMs }
}

function rank({ name, health }: ProviderState, tried: ReadonlySet<string>): number {
  return (health.behind ? 2 : 0) + (tried.has(name) ? 1 : 0)
}

export type RpcRetryDecision = { readonly kind: 'retry'; readonly afterMs: number } | { readonly kind: 'give-up' }

export interface RpcRetrySituation {
  /** Failed attempts and lost requests of the question: 1 after the first one. An answered call resets the losses of its attempt. */
  readonly failures: number
  readonly providers: number
  /** Whether a usable provider has not been tried for this question. */
  readonly hasAnother: boolean
  /** Whether other questions were answered since this one was asked. */
  readonly othersAnswered: boolean
  /** 0 to 1, spreads the delay. */
  readonly random: number
}

const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 1_000
const USUAL_ATTEMPTS = 3
/** Some 25 s. */
const PATIENT_ATTEMPTS = 30

/** Whether a question that failed is asked again: at once when another provider has not been tried, else after a short wait. */
export function rpcRetryPolicy(fault: RpcFault, situation: RpcRetrySituation): RpcRetryDecision {
  const { failures, providers, hasAnother, random } = situation
  if (isAboutQuestion(fault)) return { kind: 'give-up' }
  const maxAttempts = deservesPatience(fault, situation) ? PATIENT_ATTEMPTS : Math.max(USUAL_ATTEMPTS, providers + 1)
  if (failures >= maxAttempts) return { kind: 'give-up' }
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1))
  return { kind: 'retry', afterMs: hasAnother ? 0 : delay * (0.5 + random / 2) }
}

/** Whether every attempt and every provider would end in this fault. */
function isAboutQuestion({ kind }: RpcFault): boolean {
  return kind === 'too-large' || kind === 'rejected' || kind === 'closed'
}

/**
 * Whether many attempts are worthwhile: the provider limits its rate, or it answers other questions and this fault came quickly. Hundreds
 * of answers that are needed together would never be complete if each had to come within three attempts from a provider that fails at
 * every third.
 */
function deservesPatience(fault: RpcFault, { othersAnswered }: RpcRetrySituation): boolean {
  if (fault.kind === 'rate-limited') return true
  const isQuick = (isLost(fault) && fault.kind !== 'timeout') || fault.kind === 'http' || fault.kind === 'garbled'
  return othersAnswered && isQuick
}
