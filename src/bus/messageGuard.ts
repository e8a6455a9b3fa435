import type { Logger } from 'pino'
import { isLogged } from '#async/logSampling.ts'
import { messageOf } from '#errors'

/** @returns false: `take` threw, and the message is ignored */
export type MessageGuard = (channel: string, take: () => void) => boolean

const MAX_REASON = 200

/**
 * Guards against messages of any process that may connect to the database or to NATS. `take` reads a message, and throws if no process of
 * this version sends such a message. Ignored messages are counted, and the first, second, fourth, eighth … of them is logged.
 */
export function createMessageGuard(logger: Logger): MessageGuard {
  let ignored = 0
  return (channel, take) => {
    try {
      take()
      return true
    } catch (error) {
      ignored++
      if (isLogged(ignored)) {
        const reason = messageOf(error).slice(0, MAX_REASON)
        logger.warn({ channel, ignored, reason }, 'a message that no process of this version sends was ignored')
      }
      return false
    }
  }
}
