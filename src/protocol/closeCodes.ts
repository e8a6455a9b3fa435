/** The codes with which the server closes WebSockets, and the reason sent beside them. Clients reconnect after each of them. */
export const CLOSE_CODES = {
  /** The client sent a message of more than 16,384 bytes. */
  messageTooLarge: { code: 1009, reason: 'message too large' },
  restart: { code: 1012, reason: 'server restart' },
  /** The client read nothing, or answered no ping, for 60 s. */
  unresponsive: { code: 4408, reason: 'unresponsive' },
  flood: { code: 4429, reason: 'too many messages' },
} as const

export type CloseCodeName = keyof typeof CLOSE_CODES

/** Codes of RFC 6455, section 7.4, after which the same client would fail again. */
const FINAL: ReadonlySet<number> = new Set([1000, 1002, 1003, 1007, 1008, 1010])

/**
 * What a client does after a close: reconnect with back-off, or stop until its user changes something. Of codes that it does not know, 4000
 * to 4499 reconnect and 4500 to 4999 stop. Below 4000, faults of the network or the server reconnect; a normal close and a broken protocol
 * stop.
 */
export function afterClose(code: number): 'reconnect' | 'stop' {
  return FINAL.has(code) || (code >= 4500 && code <= 4999) ? 'stop' : 'reconnect'
}
