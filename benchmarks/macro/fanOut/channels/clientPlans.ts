import { type ConnectionPlan, textFrame, upgradeRequest } from '#benchmarks/load/wire.ts'
import type { Address } from '#domain/address.ts'
import { addressOf } from '#test/support/snapshots.ts'
import type { ChannelServerKind } from './channelServer.ts'
import { clientFilters, LIST_ROWS, listOf, type Part, tokenOfClient } from './mixedFeed.ts'

/* What clients send, to either server. Their messages are only counted. */

export const filterTopic = (client: number, index: number): string => `f${client}.${index}`
export const listTopic = (list: number): string => `l${list}`
export const tokenTopic = (token: Address): string => `t${token}`

export function clientPlan(server: ChannelServerKind, port: number, client: number, parts: readonly Part[]): ConnectionPlan {
  const messages = server === 'tokenwire' ? subscribes(client, parts) : [{ topics: topics(client, parts) }]
  return countingPlan(port, messages, { client })
}

/** A connection that sends these messages and waits for that many answers. */
export function countingPlan(
  port: number,
  messages: readonly object[],
  { client = 0, receiveBufferBytes = 0 }: { readonly client?: number; readonly receiveBufferBytes?: number } = {},
): ConnectionPlan {
  return {
    kind: 'webSocket',
    isCounted: true,
    receiveBufferBytes,
    // An address of its own: the lists of one address are bounded.
    request: upgradeRequest('/realtime', `127.0.0.1:${port}`, [`X-Forwarded-For: 10.0.${client >> 8}.${client & 255}`]),
    greeting: Buffer.concat(messages.map(message => textFrame(JSON.stringify(message)))),
    ready: { text: '"type":"subscribed"', times: messages.length },
  }
}

function subscribes(client: number, parts: readonly Part[]): readonly object[] {
  const of: Readonly<Record<Part, () => readonly object[]>> = {
    events: () =>
      clientFilters(client).map(({ tokens, wallets, ...others }, index) => ({
        type: 'subscribe',
        channel: 'trades',
        id: String(index),
        filters: { ...(tokens && { tokens }), ...(wallets && { makers: wallets }), ...others },
      })),
    lists: () => [{ type: 'subscribe', channel: 'list', filters: { minHolders: listOf(client), limit: LIST_ROWS } }],
    // A sequence of the future, so that no snapshot is sent.
    tokens: () => [{ type: 'subscribe', token: addressOf(tokenOfClient(client)), sequence: Number.MAX_SAFE_INTEGER }],
  }
  return parts.flatMap(part => of[part]())
}

function topics(client: number, parts: readonly Part[]): readonly string[] {
  const of: Readonly<Record<Part, () => readonly string[]>> = {
    events: () => [filterTopic(client, 0), filterTopic(client, 1)],
    lists: () => [listTopic(listOf(client))],
    tokens: () => [tokenTopic(addressOf(tokenOfClient(client)))],
  }
  return parts.flatMap(part => of[part]())
}
