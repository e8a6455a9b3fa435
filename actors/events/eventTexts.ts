import { type ChannelPosition, type EventPlace, formatPlace } from '#domain/eventPlace.ts'
import type { EventChannelName } from '#resources/channelEvent.ts'
import type { EventMessage } from './eventMessages.ts'

/* The JSON of a channel's messages, for connections and webhooks. `id` is the id of the subscription. */

export function eventsText(channel: EventChannelName, id: string, { place, status, data }: EventMessage, reorgs: number): string {
  const statusField = status === null ? '' : `"status":"${status}",`
  return textOf(channel, id, `${positionFields({ place, reorgs })},"block":"${place.blockNumber}",${statusField}"data":${data}`)
}

export function reorgText(id: string, fromBlock: number, position: ChannelPosition): string {
  return textOf('reorg', id, `"fromBlock":"${fromBlock}",${positionFields(position)}`)
}

export function gapText(id: string, from: EventPlace, { place, reorgs }: ChannelPosition): string {
  return textOf('gap', id, `"from":"${formatPlace(from)}","to":"${formatPlace(place)}","reorgs":${reorgs}`)
}

export function textOf(type: string, id: string, fields: string): string {
  return `{"type":"${type}","id":${JSON.stringify(id)},${fields}}`
}

export function positionFields({ place, reorgs }: ChannelPosition): string {
  return `"cursor":"${formatPlace(place)}","reorgs":${reorgs}`
}
