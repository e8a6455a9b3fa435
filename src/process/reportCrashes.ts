import type { Logger } from 'pino'

/**
 * Ends the process on an uncaught error of this thread: a defect must not leave half a service running. Returns the handler of
 * the indexing thread's errors.
 */
export function reportCrashes(logger: Logger): (err: unknown) => void {
  const crash = (err: unknown) => {
    logger.fatal({ err }, 'crashed')
    process.exit(1)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  return crash
}
