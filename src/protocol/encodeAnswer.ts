import type { Address } from '#domain/address.ts'
import type { StateChannelName } from './channels.ts'
import type { ErrorMessage } from './parseClientMessage.ts'

/* The server's answers to a client's messages, as the text of a WebSocket message. Each carries the message's `id`, if that has one. */

export function encodeSubscribed(token: Address, sequence: number | null, id?: string): string {
  return `{"type":"subscribed","token":"${token}","sequence":${sequence}${idField(id)}}`
}

export function encodeUnsubscribed(token: Address, id?: string): string {
  return `{"type":"unsubscribed","token":"${token}"${idField(id)}}`
}

/** Confirms the end of a subscription to a channel. */
export function encodeChannelUnsubscribed(id: string): string {
  return `{"type":"unsubscribed"${idField(id)}}`
}

/** Confirms a subscription to a list or to candles. */
export function encodeStateSubscribed(channel: StateChannelName, id: string, filters: object): string {
  return JSON.stringify({ type: 'subscribed', id, channel, filters })
}

/** @param atMs the time of the answer, in ms since the epoch */
export function encodePong(atMs: number, id?: string): string {
  return `{"type":"pong","timestamp":"${new Date(atMs).toISOString()}"${idField(id)}}`
}

export function encodeError(error: Omit<ErrorMessage, 'type'>): string {
  return JSON.stringify({ type: 'error', ...error })
}

function idField(id: string | undefined): string {
  return id === undefined ? '' : `,"id":${JSON.stringify(id)}`
}
