import { Observable, Subject } from 'rxjs'
import type { Config, LaunchpadConfig } from '#config'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import { TokenwireError } from '#errors'
import type { LoadedThread } from './loadThread.ts'
import type { FromIndexing, OpenedThread, ToIndexing } from './messages.ts'
import { createThreadStatus, type ThreadStatus } from './threadStatus.ts'
import { createWatchNotices } from './watchNotices.ts'

export interface StartIndexingOptions {
  readonly thread: Pick<LoadedThread, 'worker' | 'exited' | 'crashed'>
  readonly config: Config
  /** The thread has ended by itself, with what it threw: it does not come back. */
  readonly onCrash: (error: unknown) => void
  /** A thread that takes longer to close what it holds is cut off. Default 5,000. */
  readonly closeTimeoutMs?: number
  /** Monotonic milliseconds. Default `performance.now()`. */
  readonly now?: () => number
}

/** A thread that loads or connects to the chain, or waits to be told where the database is. */
export interface StartedThread {
  /**
   * To be called once, when the database is migrated and this process's to write. Claims the database once the chain is connected.
   *
   * @throws `TokenwireError` saying what stands in the way
   */
  open(databaseUrl: string): Promise<Indexing>
  /** Ends the thread, with all that it holds. Also before `open` has come to an end, and again. */
  close(): Promise<void>
}

/** The indexer as the main thread sees it. */
export interface Indexing {
  readonly chainId: number
  /** With the contracts that the chain told. */
  readonly launchpads: readonly LaunchpadConfig[]
  /**
   * Indexes from the first subscription on: everything that is committed, in order, after it is committed. Never errors; completes on `stop`. A
   * subscriber is done with a block when it returns: the thread commits only a few blocks more than that.
   */
  readonly blocks: Observable<CommittedBlock>
  /** What of it the health and the metrics show. */
  readonly view: Omit<ThreadStatus, 'heard'>
  /** The token has an actor from now on: its state is to be read with each commit. */
  watch(token: Address): void
  /** It has none any more. */
  unwatch(token: Address): void
  /** A new price to convert with, for so long. */
  priced(ethUsd: string, lifeMs: number): void
  /** Begins no further commit; resolves when the one under way has been emitted, and `blocks` has ended. */
  stop(): Promise<void>
}

/** Has the thread that follows the chain and writes connect to the chain. It opens no database before it is told to. */
export function startIndexing(options: StartIndexingOptions): StartedThread {
  const { thread, config, onCrash, closeTimeoutMs = 5_000, now = () => performance.now() } = options
  const { worker, exited, crashed } = thread
  const opening = Promise.withResolvers<OpenedThread>()
  const ended = Promise.withResolvers<void>()
  const blocks = new Subject<CommittedBlock>()
  let status: ThreadStatus | null = null
  let closing: Promise<void> | null = null

  const send = (message: ToIndexing) => worker.postMessage(message)
  const notices = createWatchNotices({ send: (began, ended) => send({ kind: 'watched', began, ended }) })

  const hear = (message: FromIndexing): void => {
    switch (message.kind) {
      case 'opened':
        opening.resolve(message)
        return
      case 'failed':
        opening.reject(new TokenwireError(message.code, message.message, { retryable: message.retryable }))
        return
      case 'committed':
        // First, so that no client is told of a block that the health does not know.
        status?.heard(message.view)
        blocks.next(message.block)
        send({ kind: 'taken' })
        return
      case 'view':
        status?.heard(message.view)
        send({ kind: 'taken' })
        return
      case 'noted':
        notices.noted()
        return
      case 'ended':
        blocks.complete()
        ended.resolve()
        return
    }
  }
  worker.on('message', hear)
  void crashed.then(onCrash)
  void exited.then(code => {
    if (closing === null) onCrash(new Error(`the indexing thread has ended with ${code}`))
  })
  send({ kind: 'configure', config })

  const close = async (): Promise<void> => {
    if (status === null) await worker.terminate()
    send({ kind: 'close' })
    const late = setTimeout(() => void worker.terminate(), closeTimeoutMs)
    await exited
    clearTimeout(late)
  }

  const open = async (databaseUrl: string): Promise<Indexing> => {
    send({ kind: 'open', databaseUrl })
    const { chainId, launchpads, view } = await opening.promise
    const current = createThreadStatus(view, now)
    status = current
    let hasBegun = false
    return {
      chainId,
      launchpads,
      blocks: new Observable(subscriber => {
        const subscription = blocks.subscribe(subscriber)
        if (!hasBegun) send({ kind: 'index' })
        hasBegun = true
        return subscription
      }),
      view: current,
      watch: notices.began,
      unwatch: notices.ended,
      priced: (ethUsd, lifeMs) => send({ kind: 'price', ethUsd, untilMs: performance.now() + lifeMs }),
      stop: () => {
        send({ kind: 'stop' })
        return ended.promise
      },
    }
  }

  return {
    open,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}
