import { TokenwireError } from '#errors'

/** An end of a channel between two threads: a worker, a port, or the parent's port. */
export interface CallPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: Call | Answer) => void): unknown
}

type Functions = Readonly<Record<string, (...args: never[]) => unknown>>

interface Call {
  readonly id: number
  readonly name: string
  readonly args: readonly unknown[]
}

type Answer = { readonly answers: number } & (
  | { readonly value: unknown }
  | { readonly error: Pick<Error, 'message'> & Partial<Pick<TokenwireError, 'code' | 'retryable'>> }
)

/** Calls a function of the other thread. Arguments and result are copied. @throws what that function throws, as an error of this thread */
export type Caller<Theirs> = <Name extends keyof Theirs>(
  name: Name,
  ...args: Theirs[Name] extends (...args: infer Args) => unknown ? Args : never
) => Promise<Theirs[Name] extends (...args: never[]) => infer Result ? Awaited<Result> : never>

/** Lets two threads call functions of each other. The channel must not carry other messages. */
export function createCalls<Theirs>(port: CallPort, ours: Functions): Caller<Theirs> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let count = 0

  const answer = async ({ id, name, args }: Call): Promise<void> => {
    try {
      const value = await (ours[name] as (...args: readonly unknown[]) => unknown)(...args)
      port.postMessage({ answers: id, value })
    } catch (error) {
      const { message } = error as Error
      const known = error instanceof TokenwireError ? { code: error.code, retryable: error.retryable } : {}
      port.postMessage({ answers: id, error: { message, ...known } })
    }
  }

  port.on('message', message => {
    if ('id' in message) {
      void answer(message)
      return
    }
    const call = waiting.get(message.answers)
    waiting.delete(message.answers)
    if ('value' in message) call?.resolve(message.value)
    else call?.reject(toError(message.error))
  })

  const call = (name: PropertyKey, ...args: unknown[]): Promise<unknown> => {
    const id = ++count
    const result = Promise.withResolvers<unknown>()
    waiting.set(id, result)
    port.postMessage({ id, name, args })
    return result.promise
  }
  return call as Caller<Theirs>
}

function toError({ message, code, retryable = false }: Extract<Answer, { error: unknown }>['error']): Error {
  return code === undefined ? new Error(message) : new TokenwireError(code, message, { retryable })
}
