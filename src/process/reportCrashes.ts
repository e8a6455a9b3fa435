import type { Logger } from 'pino'

/**
 * Ends the process on an uncaught error of this thread: a defect must not leave half a service running. Returns the handler of other
 * threads' errors. Gateway threads report their own: uWebSockets.js aborts or has a segmentation fault when a thread with open sockets
 * ends, which may come before the main thread learns of the error.
 */
export function reportCrashes(logger: Logger, gatewayThreads: number): (err: unknown) => void {
  const crash = (err: unknown) => {
    logger.fatal({ err }, 'crashed')
    if (gatewayThreads > 1) process.kill(process.pid, 'SIGKILL')
    process.exit(1)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  return crash
}
