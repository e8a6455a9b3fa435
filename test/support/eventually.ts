import { setTimeout as pause } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { type Patience, startPatience } from './patience.ts'

interface Options {
  readonly interval?: number
  readonly patience?: Patience
}

/**
 * Tries until an attempt neither throws nor gives `false`: for what happens in another socket's or process's time.
 *
 * @returns what the attempt gave.
 * @throws the last attempt's error when patience is over.
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { interval = 2, patience = startPatience() }: Options = {},
): Promise<Exclude<T, false>> {
  for (let failure: unknown; ; ) {
    try {
      const given = attempt()
      const value = given instanceof Promise ? await patience.within(given) : given
      if (value !== false) return value as Exclude<T, false>
      failure = new Error(`still false: ${attempt.toString()}`)
    } catch (error) {
      // The first answer that does not come hides no earlier failure.
      failure = patience.isOver() ? (failure ?? error) : error
    }
    if (patience.isOver()) throw failure
    await pause(interval)
  }
}

/**
 * Takes steps until a state is reached: for what needs an unknown number of them, such as filling the kernel's buffers.
 *
 * @throws when patience is over first.
 */
export async function stepUntil(isReached: () => boolean, step: () => Promise<void>, patience = startPatience()): Promise<void> {
  for (let steps = 0; !isReached(); steps++) {
    if (patience.isOver()) throw new Error(`still false after ${steps} steps: ${isReached.toString()}`)
    await step()
  }
}

interface PollOptions extends Options {
  readonly message?: string
}

type PollAssertion = ReturnType<typeof expect.poll>

type Matchers = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>

/** `expect.poll` whose limit is patience instead of a time on the clock. Its errors name the line that calls the matcher. */
export function poll(read: () => unknown, options: PollOptions = {}): PollAssertion {
  const matchers = (isNegated: boolean): object =>
    new Proxy(
      {},
      {
        get: (_, name: string) => {
          if (name === 'not') return matchers(!isNegated)
          return async function matcher(...args: readonly unknown[]) {
            const site = { stack: '' }
            Error.captureStackTrace(site, matcher)
            await pollMatcher(read, { name, isNegated, args }, options).catch((error: unknown) => {
              if (error instanceof Error) error.stack = `${error.name}: ${error.message}${site.stack.slice(site.stack.indexOf('\n'))}`
              throw error
            })
          }
        },
      },
    )
  return matchers(false) as PollAssertion
}

interface Check {
  readonly name: string
  readonly isNegated: boolean
  readonly args: readonly unknown[]
}

async function pollMatcher(read: () => unknown, { name, isNegated, args }: Check, options: PollOptions): Promise<void> {
  const { interval = 10, message, patience = startPatience() } = options
  const attempt = async () => {
    if (vi.isFakeTimers()) vi.advanceTimersByTime(interval)
    // oxlint-disable-next-line vitest/valid-expect -- the matcher follows by its name.
    const assertion = expect(await read(), message)
    const matchers = (isNegated ? assertion.not : assertion) as unknown as Matchers
    await matchers[name]?.(...args)
  }
  await eventually(attempt, { interval, patience })
}
