import { Observable } from 'rxjs'
import type { EncodedBlock } from '#bus/encodedBlock.ts'
import { monotonicMs } from '#clock'
import type { Config, LaunchpadsConfig } from '#config'
import type { Address } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import { createBlockReceiver } from './blockReceiver.ts'
import type { LoadedThread } from './loadThread.ts'
import type { FromIndexing, OpenedThread, ToIndexing } from './messages.ts'
import type { ThreadStatus } from './threadStatus.ts'

export interface StartIndexingOptions {
  readonly thread: Pick<LoadedThread, 'worker' | 'exited' | 'crashed'>
  readonly config: Config
  /** Called when the thread has ended by itself. It is not started again. */
  readonly onCrash: (error: unknown) => void
  /** A thread that takes longer to close is terminated. Default 5,000. */
  readonly closeTimeoutMs?: number
  /** Default `monotonicMs`. */
  readonly now?: () => number
}

export interface StartedThread {
  /**
   * Resolves when chain and launchpads are those of the database, and writes nothing: for a process that may have to index later. To be
   * called before `open`, or not at all.
   */
  check(databaseUrl: string): Promise<void>
  /** To be called once, when the database is migrated and locked. */
  open(databaseUrl: string): Promise<Indexing>
  /** `launchpads.json` has other content than before: the index is taken over to it once this process indexes. */
  want(launchpads: LaunchpadsConfig): void
  /** Ends the thread. May be called before `open` has resolved, and again. */
  close(): Promise<void>
}

export interface Indexing {
  readonly chainId: number
  /** What the index is of now. */
  launchpads(): LaunchpadsConfig
  /** The name under which this process has claimed the database: a new one at each start. */
  readonly writer: string
  /**
   * Indexes from the first subscription on, and emits every commit in order, after it is committed. Never errors; completes on `stop`. A
   * block is acknowledged when its subscribers return; the thread commits only a few blocks ahead of that.
   */
  readonly blocks: Observable<EncodedBlock>
  readonly view: Omit<ThreadStatus, 'update'>
  /** The token has an actor: commits read its state from now on. */
  watch(token: Address): void
  unwatch(token: Address): void
  /** Resolves when another process has become the writer of the database: nothing more is indexed. */
  readonly writerChanged: Promise<void>
  /** @param lifeMs how long the price may be used */
  priced(ethUsd: string, lifeMs: number): void
  /** Starts no further commit; resolves when the one under way has been emitted and `blocks` has completed. */
  stop(): Promise<void>
}

/** Configures the indexing thread, which connects to the chain. It opens no database before `open`. */
export function startIndexing(options: StartIndexingOptions): StartedThread {
  const { thread, config, onCrash, closeTimeoutMs = 5_000, now = monotonicMs } = options
  const { worker, exited, crashed } = thread
  const checking = Promise.withResolvers<void>()
  const opening = Promise.withResolvers<OpenedThread>()
  const ended = Promise.withResolvers<void>()
  const writerChanged = Promise.withResolvers<void>()
  let inForce: LaunchpadsConfig = config.launchpads
  let isOpen = false
  let closing: Promise<void> | null = null

  const send = (message: ToIndexing) => worker.postMessage(message)
  const receiver = createBlockReceiver(send, now)

  const hear = (message: FromIndexing): void => {
    switch (message.kind) {
      case 'checked':
        checking.resolve()
        return
      case 'opened':
        opening.resolve(message)
        return
      case 'failed': {
        const error = new TokenwireError(message.code, message.message, { retryable: message.retryable })
        checking.reject(error)
        opening.reject(error)
        return
      }
      case 'committed':
      case 'view':
      case 'noted':
        receiver.hear(message)
        return
      case 'launchpads':
        inForce = message.launchpads
        return
      case 'writerChanged':
        writerChanged.resolve()
        return
      case 'ended':
        receiver.complete()
        ended.resolve()
        return
    }
  }
  // A rejection that is not awaited must not end the process.
  for (const { promise } of [checking, opening]) promise.catch(() => undefined)
  worker.on('message', hear)
  void crashed.then(onCrash)
  void exited.then(code => {
    if (closing === null) onCrash(new Error(`the indexing thread has ended with ${code}`))
  })
  send({ kind: 'configure', config })

  const close = async (): Promise<void> => {
    if (!isOpen) await worker.terminate()
    send({ kind: 'close' })
    const late = setTimeout(() => void worker.terminate(), closeTimeoutMs)
    await exited
    clearTimeout(late)
  }

  const open = async (databaseUrl: string): Promise<Indexing> => {
    send({ kind: 'open', databaseUrl })
    const { chainId, launchpads, writer, view } = await opening.promise
    inForce = launchpads
    receiver.reported(view)
    isOpen = true
    let hasBegun = false
    return {
      chainId,
      launchpads: () => inForce,
      writer,
      blocks: new Observable(subscriber => {
        const subscription = receiver.blocks.subscribe(subscriber)
        if (!hasBegun) send({ kind: 'index' })
        hasBegun = true
        return subscription
      }),
      view: receiver.status() as ThreadStatus,
      watch: receiver.watch,
      unwatch: receiver.unwatch,
      writerChanged: writerChanged.promise,
      priced: (ethUsd, lifeMs) => send({ kind: 'price', ethUsd, untilMs: monotonicMs() + lifeMs }),
      stop: () => {
        send({ kind: 'stop' })
        return ended.promise
      },
    }
  }

  return {
    check: databaseUrl => {
      send({ kind: 'check', databaseUrl })
      return checking.promise
    },
    open,
    want: launchpads => send({ kind: 'want', launchpads }),
    close: () => {
      closing ??= close()
      return closing
    },
  }
}
