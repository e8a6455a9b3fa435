import { type ResourceLimits, Worker } from 'node:worker_threads'
import { createTurns, type Turns } from '#telemetry/inTurns.ts'
import type { ThreadInput } from './messages.ts'
import { clockOriginNs } from './sharedClock.ts'

export interface LoadThreadOptions {
  /** What the thread runs. Default: `indexingThread.ts`. */
  readonly script?: URL
  /** Default: those of Node. */
  readonly resourceLimits?: ResourceLimits
}

/** The indexing thread, which loads its modules and then waits for its configuration. */
export interface LoadedThread {
  readonly worker: Worker
  /** With which both threads log. */
  readonly turns: Turns
  /** Resolves with its exit code. */
  readonly exited: Promise<number>
  /** Resolves with what it threw and nobody caught. */
  readonly crashed: Promise<unknown>
}

/**
 * Starts the thread. Of a start, what it loads takes longest, so this module imports next to nothing: it is for the process to begin with, while
 * the main thread loads what it needs itself.
 */
export function loadThread({
  script = new URL('./indexingThread.ts', import.meta.url),
  resourceLimits = {},
}: LoadThreadOptions = {}): LoadedThread {
  const turns = createTurns()
  const workerData: ThreadInput = { clockOriginNs: clockOriginNs(), turns }
  const worker = new Worker(script, { workerData, resourceLimits, name: 'indexing' })
  return {
    worker,
    turns,
    exited: new Promise(resolve => worker.once('exit', resolve)),
    crashed: new Promise(resolve => worker.on('error', resolve)),
  }
}
