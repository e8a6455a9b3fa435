import type { Clock } from '#clock'
import { chooseProvider } from './chooseProvider.ts'
import { MAX_SILENCE_WAIT_MS, type Provider } from './provider.ts'
import type { ProviderCallOptions } from './providerCallOptions.ts'
import { isUsable, slowAfterMs } from './providerHealth.ts'
import { faultOf, type RpcFault } from './rpcFault.ts'
import { type RpcRetrySituation, rpcRetryPolicy } from './rpcRetryPolicy.ts'

/** One question, and how to put it to a provider. */
export interface Asking<T> {
  readonly providers: readonly Provider[]
  readonly clock: Clock
  readonly random: () => number
  /** Whether the next provider is asked, too, while the first one does not answer at all. */
  readonly isUrgent: boolean
  /** Whether other questions were answered since this one was asked. */
  readonly othersAnswered: () => boolean
  /** The provider to ask next; waits until it may be asked. */
  readonly choose: (tried: ReadonlySet<string>) => Promise<Provider>
  readonly pause: (ms: number) => Promise<void>
  /** Puts the question to one provider, once. Its calls fail once the question is answered: `isOver`. */
  readonly attempt: (provider: Provider, options: ProviderCallOptions, isOver: () => boolean) => Promise<T>
}

type Outcome<T> =
  | { readonly kind: 'answer'; readonly answer: T; readonly by: Provider }
  | { readonly kind: 'failure'; readonly error: unknown; readonly isFinal: boolean }

/**
 * Puts a question to one provider after the other, by `rpcRetryPolicy`, until an answer is believed.
 *
 * @throws what the last attempt threw
 */
export async function askProviders<T>({ providers, clock, random, choose, pause, ...asking }: Asking<T>): Promise<T> {
  const tried = new Set<string>()
  let failures = 0
  let isOver = false
  const untried = () => providers.find(one => !tried.has(one.name) && isUsable(one, clock.nowMs()))

  const mayRetry = async (fault: RpcFault, failed: number): Promise<boolean> => {
    const hasAnother = untried() !== undefined
    const facts = { failures: failed, providers: providers.length, hasAnother, othersAnswered: asking.othersAnswered(), random: random() }
    const decision = rpcRetryPolicy(fault, facts satisfies RpcRetrySituation)
    if (decision.kind === 'retry' && decision.afterMs > 0) await pause(decision.afterMs)
    return decision.kind === 'retry'
  }

  const attempt = async (provider: Provider): Promise<Outcome<T>> => {
    tried.add(provider.name)
    /** Requests that it has lost since its last answer. */
    let losses = 0
    let isFinal = false
    const isNext = () => {
      const next = chooseProvider(providers, tried, clock.nowMs())
      return next.kind !== 'none' && next.provider === provider
    }
    const options: ProviderCallOptions = {
      hasAnother: () => untried() !== undefined,
      onAnswered: () => {
        losses = 0
      },
      // Not while another provider is untried, nor when this attempt has no answers yet and a new attempt would choose another provider.
      sendAgain: async (fault, answered) => {
        const silenceMs = provider.limits.silentUntilMs - clock.nowMs()
        if (isOver || untried() !== undefined || silenceMs > MAX_SILENCE_WAIT_MS || (answered === 0 && !isNext())) return false
        losses++
        isFinal = !(await mayRetry(fault, failures + losses))
        return !isFinal
      },
    }
    try {
      return { kind: 'answer', answer: await asking.attempt(provider, options, () => isOver), by: provider }
    } catch (error) {
      failures += losses + 1
      return { kind: 'failure', error, isFinal: isFinal || faultOf(error) === null }
    }
  }

  /** An attempt, and one with the next provider once this one has answered nothing for long. */
  const attemptInTime = async (provider: Provider): Promise<Outcome<T>> => {
    const askedAtMs = clock.nowMs()
    const first = attempt(provider)
    if (!asking.isUrgent || !(await isSlow(provider, first, clock))) return first
    const next = untried()
    if (next === undefined) return first
    const outcome = await firstAnswer([first, attemptInTime(next)])
    if (outcome.kind === 'answer') {
      isOver = true
      if (outcome.by !== provider) provider.failed({ kind: 'slow' }, askedAtMs)
    }
    return outcome
  }

  for (;;) {
    const outcome = await attemptInTime(await choose(tried))
    if (outcome.kind === 'answer') return outcome.answer
    const fault = faultOf(outcome.error)
    if (fault === null || outcome.isFinal || !(await mayRetry(fault, failures))) throw outcome.error
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
