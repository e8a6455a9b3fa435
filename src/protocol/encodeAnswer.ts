import type { Address } from '#domain/address.ts'
import type { ErrorMessage } from './parseClientMessage.ts'

/* The server's answers to a client's messages, as the text of a WebSocket message. */

export function encodeSubscribed(token: Address, sequence: number | null): string {
  return `{"type":"subscribed","token":"${token}","sequence":${sequence}}`
}

export function encodeUnsubscribed(token: Address): string {
  return `{"type":"unsubscribed","token":"${token}"}`
}

export function encodeError(error: Omit<ErrorMessage, 'type'>): string {
  return JSON.stringify({ type: 'error', ...error })
}
