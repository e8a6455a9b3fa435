import { MessageChannel, type MessagePort, type ResourceLimits, Worker } from 'node:worker_threads'
import { scriptBeside } from '#package'

/** The indexing thread. It loads its modules, then waits for its configuration. */
export interface LoadedThread {
  readonly worker: Worker
  /** Receives the lines of its log. */
  readonly lines: MessagePort
  /** Resolves with its exit code. */
  readonly exited: Promise<number>
  /** Resolves with an uncaught exception. */
  readonly crashed: Promise<unknown>
}

/**
 * Starts the thread. Loading its modules is the longest part of a start, so the process begins with it. This module imports next to
 * nothing, so that the main thread loads its own modules at the same time.
 */
export function loadThread(script = scriptBeside(import.meta.url, 'indexingThread'), resourceLimits: ResourceLimits = {}): LoadedThread {
  const { port1: lines, port2 } = new MessageChannel()
  const worker = new Worker(script, { workerData: port2, transferList: [port2], resourceLimits, name: 'indexing' })
  return {
    worker,
    lines,
    exited: new Promise(resolve => worker.once('exit', resolve)),
    crashed: new Promise(resolve => worker.on('error', resolve)),
  }
}
