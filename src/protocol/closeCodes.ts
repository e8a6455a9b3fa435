/** What a client does when its connection was closed: come back with growing pauses, or stay away until somebody changes something. */
export type AfterClose = 'reconnect' | 'stop'

interface CloseCode {
  readonly code: number
  readonly meaning: string
  readonly after: AfterClose
}

/** Every code that this server closes a WebSocket with on purpose. */
export const CLOSE_CODES = {
  messageTooLarge: { code: 1009, meaning: 'a message of the client was larger than 16,384 bytes', after: 'reconnect' },
  restart: { code: 1012, meaning: 'the server is shutting down', after: 'reconnect' },
  unresponsive: { code: 4408, meaning: 'the client read nothing, or answered nothing, for 60 s', after: 'reconnect' },
  flood: { code: 4429, meaning: 'the client sent more messages than allowed', after: 'reconnect' },
} as const satisfies Record<string, CloseCode>

export type CloseCodeName = keyof typeof CLOSE_CODES

/** Codes of the protocol itself (RFC 6455, section 7.4) after which the same client would only fail again. */
const FINAL: ReadonlySet<number> = new Set([1000, 1002, 1003, 1007, 1008, 1010])

/**
 * Tells a client what to do after a close with this code, also one that it does not know: 4000 to 4499 reconnect, 4500 to 4999 stop, and
 * below 4000 a fault of the network or the server reconnects while a normal close or a broken protocol stops.
 */
export function afterClose(code: number): AfterClose {
  return FINAL.has(code) || (code >= 4500 && code <= 4999) ? 'stop' : 'reconnect'
}
