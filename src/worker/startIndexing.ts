import { Observable, Subject } from 'rxjs'
import type { EncodedBlock } from '#bus/blockFeed.ts'
import { monotonicMs } from '#clock'
import type { Config, LaunchpadsConfig } from '#config'
import type { Address } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import type { MetadataView } from '#jobs/metadata/metadataReader.ts'
import { type IndexingView, stateAfterSilence } from '#resources/health.ts'
import type { SkippedLogs } from '#sync/committer.ts'
import type { EventLoopState } from '#telemetry/eventLoopWatch.ts'
import type { LoadedThread } from './loadThread.ts'
import type { FromIndexing, FromReceiver, OpenedThread, ThreadView, ToIndexing, ToReceiver } from './messages.ts'

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

  const receive = (message: FromIndexing): void => {
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
      case 'watchedReceived':
        receiver.receive(message)
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
  worker.on('message', receive)
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

/** A thread's end of the messages by which the indexing thread hands it committed blocks. */
export interface BlockReceiver {
  /** Takes the indexing thread's messages. */
  receive(message: ToReceiver): void
  /** Every commit in order. A block is acknowledged when its subscribers return. */
  readonly blocks: Observable<EncodedBlock>
  complete(): void
  watch(token: Address): void
  unwatch(token: Address): void
  /** Takes a report that arrived in another way. */
  reported(view: ThreadView): void
  /** `null`: the indexing thread has not reported yet. */
  status(): Omit<ThreadStatus, 'update'> | null
}

/** @param now `monotonicMs` */
export function createBlockReceiver(send: (message: FromReceiver) => void, now: () => number): BlockReceiver {
  const blocks = new Subject<EncodedBlock>()
  const notices = createWatchNotices({ send: (began, ended) => send({ kind: 'watched', began, ended }) })
  let status: ThreadStatus | null = null
  const reported = (view: ThreadView) => {
    status ??= createThreadStatus(view, now)
    status.update(view)
  }
  return {
    receive: message => {
      switch (message.kind) {
        case 'committed':
          // First, so that no client learns of a block that health does not show.
          reported(message.view)
          blocks.next(message.block)
          send({ kind: 'received' })
          return
        case 'view':
          reported(message.view)
          send({ kind: 'received' })
          return
        case 'watchedReceived':
          notices.acknowledged()
          return
      }
    },
    blocks,
    complete: () => blocks.complete(),
    watch: notices.began,
    unwatch: notices.ended,
    reported,
    status: () => status,
  }
}

export interface WatchNoticesOptions {
  readonly send: (began: readonly Address[], ended: readonly Address[]) => void
  /** Calls back once, soon. Default `setImmediate`: changes of one turn of the event loop go into one notice. */
  readonly soon?: (callback: () => void) => void
}

export interface WatchNotices {
  began(token: Address): void
  ended(token: Address): void
  /** To be called when the other thread has acknowledged the last notice. */
  acknowledged(): void
}

/**
 * Reports to another thread which tokens have an actor. One notice is under way at a time, and the next one carries everything that changed
 * meanwhile, so what waits is bounded by the tokens that have or just had an actor.
 */
export function createWatchNotices({ send, soon = setImmediate }: WatchNoticesOptions): WatchNotices {
  /** What changed since the last notice, and whether the token is watched now. */
  const changed = new Map<Address, boolean>()
  let isUnderWay = false
  const flush = () => {
    isUnderWay = changed.size > 0
    if (!isUnderWay) return
    const tokens = [...changed]
    changed.clear()
    send(
      tokens.filter(([, isWatched]) => isWatched).map(([token]) => token),
      tokens.filter(([, isWatched]) => !isWatched).map(([token]) => token),
    )
  }
  const change = (token: Address, isWatched: boolean) => {
    changed.set(token, isWatched)
    if (isUnderWay) return
    isUnderWay = true
    soon(flush)
  }
  return { began: token => change(token, true), ended: token => change(token, false), acknowledged: flush }
}

/** The thread reports four times a second. One that reports nothing for this long hangs. */
const SILENT_AFTER_MS = 5_000

interface ThreadStatus extends IndexingView {
  update(view: ThreadView): void
  metadata(): MetadataView
  skippedLogs(): readonly SkippedLogs[]
  eventLoop(): EventLoopState
}

/**
 * The thread's newest report; `stalled` once the thread is silent, since the report may no longer be true.
 *
 * @param now monotonic milliseconds
 */
export function createThreadStatus(first: ThreadView, now: () => number): ThreadStatus {
  let newest = first
  let updatedAtMs = now()
  return {
    update: view => {
      newest = view
      updatedAtMs = now()
    },
    state: () => {
      const silentMs = now() - updatedAtMs
      return silentMs <= SILENT_AFTER_MS ? newest.state : stateAfterSilence(newest.state, 'the indexing thread', silentMs)
    },
    chain: () => newest.chain,
    metadata: () => newest.metadata,
    skippedLogs: () => newest.skippedLogs,
    eventLoop: () => newest.eventLoop,
  }
}
