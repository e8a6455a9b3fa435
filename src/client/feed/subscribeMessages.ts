import { MAX_TOKENS_PER_MESSAGE } from '#protocol/limits.ts'
import type { Carried } from './carried.ts'

interface SubscribeMessage {
  message: object
  readonly keys: string[]
  /** The sequence that the message names; -1: none. Of several tokens, the server sends only those that have changed since. */
  sequence: number
}

/**
 * The messages that subscribe to all of these: up to a hundred tokens of one batch in each, with the newest of their sequences.
 *
 * @param stale - keys of tokens that the server must send if they are newer than the client's own sequence
 */
export function subscribeMessages(carried: readonly Carried[], stale: ReadonlySet<string>): readonly SubscribeMessage[] {
  const messages: SubscribeMessage[] = []
  const newest = new Map<string | null, SubscribeMessage>()
  for (const each of carried) {
    const { key } = each
    const message = each.subscription()
    const sequence = message.sequence ?? -1
    const batch = sequence < 0 || !stale.has(key) ? each.batch : null
    const joined = batch === null ? undefined : newest.get(batch)
    if (joined === undefined || joined.keys.length === MAX_TOKENS_PER_MESSAGE) {
      const own = { message, keys: [key], sequence }
      messages.push(own)
      newest.set(batch, own)
    } else {
      joined.keys.push(key)
      joined.sequence = Math.max(joined.sequence, sequence)
      joined.message = { ...message, token: undefined, tokens: joined.keys, sequence: joined.sequence < 0 ? null : joined.sequence }
    }
  }
  return messages
}
