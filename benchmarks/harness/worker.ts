import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** Functions of one argument that another process can call. */
export type Calls<C> = { readonly [Name in keyof C]: (argument: never) => unknown }

interface Request {
  readonly id: number
  readonly name: string
  readonly argument: unknown
}

type Reply = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: string }

const CALL_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 2_000

/** A separate process for one arm or for the load. */
export class Worker<C extends Calls<C>> {
  readonly #process: ChildProcess
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  #lastId = 0
  #failure: Error | null = null

  private constructor(process: ChildProcess) {
    this.#process = process
    process.on('message', message => this.#replied(message as Reply))
    process.on('error', error => this.#failed(error))
    process.on('exit', (code, signal) => this.#failed(new Error(`a process of the benchmark ended early (${signal ?? code})`)))
  }

  /** Starts a file that calls `answerCalls`. The process ends with this one at the latest. */
  static start<C extends Calls<C>>(file: URL, args: readonly string[] = [], execArgv: readonly string[] = []): Worker<C> {
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
    return new Worker<C>(fork(file, args, { serialization: 'advanced', execArgv: [...execArgv], stdio: [...stdio] }))
  }

  /** @throws `Error` with the other process's error, or after the time limit (default two minutes) */
  async call<Name extends keyof C & string>(
    name: Name,
    argument: Parameters<C[Name]>[0],
    timeoutMs = CALL_TIMEOUT_MS,
  ): Promise<Awaited<ReturnType<C[Name]>>> {
    if (this.#failure !== null) throw this.#failure
    const id = ++this.#lastId
    const answered = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    this.#process.send({ id, name, argument } satisfies Request)
    const timer = setTimeout(() => this.#settle(id)?.reject(new Error(`${name} took more than ${timeoutMs} ms`)), timeoutMs)
    try {
      return (await answered) as Awaited<ReturnType<C[Name]>>
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const exited = once(this.#process, 'exit')
    if (this.#process.connected) this.#process.disconnect()
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await exited
    clearTimeout(timer)
  }

  #replied(reply: Reply): void {
    const waiting = this.#settle(reply.id)
    if ('error' in reply) waiting?.reject(new Error(reply.error))
    else waiting?.resolve(reply.value)
  }

  #failed(error: Error): void {
    this.#failure = error
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  #settle(id: number) {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }
}

/** Answers the calls of the process that started this one, and ends with it. */
export function answerCalls<C extends Calls<C>>(calls: C): void {
  process.on('disconnect', () => process.exit())
  process.on('message', message => void answer(message as Request))

  async function answer({ id, name, argument }: Request): Promise<void> {
    let reply: Reply
    try {
      const call = calls[name as keyof C] as unknown as (argument: unknown) => unknown
      reply = { id, value: await call(argument) }
    } catch (error) {
      reply = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
    process.send?.(reply)
  }
}
