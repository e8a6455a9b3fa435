import type { Clock } from '#clock'
import { type AskEvent, afterAskEvent, NOTHING_TRIED, nextStep, resendAfterMs, untried } from './askState.ts'
import type { Provider } from './provider.ts'
import type { ProviderCallOptions } from './providerCallOptions.ts'
import { slowAfterMs } from './providerHealth.ts'

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
export async function askProviders<T>({ providers, clock, random, isUrgent, pause, ...asking }: Asking<T>): Promise<T> {
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
