const LEAVING = 4012

/** The codes with which the server closes WebSockets, and the reason sent beside them. */
export const CLOSE_CODES = {
  /** The client sent a message of more than 16,384 bytes. */
  messageTooLarge: { code: 1009, reason: 'message too large' },
  restart: { code: 1012, reason: 'server restart' },
  /** This server leaves, others are there: come back after the delay of the reason. */
  leaving: { code: LEAVING, reason: 'retry after 0 ms' },
  /** The client read nothing, or answered no ping, for 60 s. */
  unresponsive: { code: 4408, reason: 'unresponsive' },
  /** The API key of the connection was revoked. */
  revoked: { code: 4501, reason: 'API key revoked' },
  flood: { code: 4429, reason: 'too many messages' },
} as const

export type CloseCodeName = keyof typeof CLOSE_CODES

/** The reason beside `leaving`. */
export function leavingReason(delayMs: number): string {
  return `retry after ${Math.floor(delayMs)} ms`
}

/** The longest delay that a client accepts from a server. */
const MAX_DELAY_MS = 300_000

const DELAY = /^retry after (\d{1,9}) ms$/

/** For how long the server asks the client not to come back; `null`: the client has its own back-off. */
export function delayAfterClose(code: number, reason: string): number | null {
  const delay = code === LEAVING ? DELAY.exec(reason)?.[1] : undefined
  return delay === undefined ? null : Math.min(Number(delay), MAX_DELAY_MS)
}

/** Codes of RFC 6455, section 7.4, after which the same client would fail again. */
const FINAL: ReadonlySet<number> = new Set([1000, 1002, 1003, 1007, 1008, 1010])

/**
 * What a client does after a close: reconnect with back-off, or stop until its user changes something. After unknown codes from 4000 to
 * 4499 it reconnects, from 4500 to 4999 it stops. Below 4000, it reconnects after faults of the network or the server, and stops after a
 * normal close or an error of the protocol.
 */
export function afterClose(code: number): 'reconnect' | 'stop' {
  return FINAL.has(code) || (code >= 4500 && code <= 4999) ? 'stop' : 'reconnect'
}
