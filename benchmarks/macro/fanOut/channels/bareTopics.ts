import { EncodedEvent, eventMessages } from '#actors/events/eventMessages.ts'
import { formatPlace } from '#domain/eventPlace.ts'
import { App, DISABLED, us_listen_socket_close, us_socket_local_port } from '#gateway/uWebSockets.ts'
import { encodeListRows } from '#protocol/encodeListRows.ts'
import { updateBytes } from '#test/support/frames.ts'
import type { ChannelServer } from './channelServer.ts'
import { filterTopic, listTopic, tokenTopic } from './clientPlans.ts'
import { blockEvents, blockNumberOf, blockSnapshots, CLIENTS, filtersOf, listOf, listPage, listSequence } from './mixedFeed.ts'

/** Large enough that nothing is dropped. */
const MAX_BACKPRESSURE_BYTES = 64 << 20

/**
 * uWebSockets.js with a topic per filter, list and token, and messages that were encoded before the measurement: it does not look for the
 * filters that fit, has no lists to read, and no bounds.
 */
export async function startBareTopics(): Promise<ChannelServer> {
  const app = App().ws<object>('/realtime', {
    maxBackpressure: MAX_BACKPRESSURE_BYTES,
    compression: DISABLED,
    message: (socket, message) => {
      const { topics } = JSON.parse(Buffer.from(message).toString()) as { topics: readonly string[] }
      for (const topic of topics) socket.subscribe(topic)
      socket.send('{"type":"subscribed"}', false)
    },
  })
  const { promise, resolve, reject } = Promise.withResolvers<Pick<ChannelServer, 'port' | 'close'>>()
  app.listen('127.0.0.1', 0, listening => {
    if (listening === false) return reject(new Error('no port to listen on'))
    const close = async () => {
      us_listen_socket_close(listening)
      app.close()
    }
    return resolve({ port: us_socket_local_port(listening), close })
  })
  return {
    ...(await promise),
    prepare: block => {
      const messages = [...eventTopics(block), ...listTopics(block), ...tokenTopics(block)]
      return () => {
        for (const [topic, bytes] of messages) app.publish(topic, bytes, false)
      }
    },
  }
}

type Topics = readonly (readonly [topic: string, bytes: Uint8Array])[]

function eventTopics(block: number): Topics {
  const encoded = blockEvents(block).map(event => new EncodedEvent(event, null))
  return Array.from({ length: CLIENTS }, (_, client) =>
    filtersOf(client).flatMap((filter, index) =>
      eventMessages(encoded.filter(({ event }) => filter.fits(event))).map(({ place, data }): Topics[number] => {
        const head = `{"type":"trades","id":"${index}","cursor":"${formatPlace(place)}","reorgs":0,"block":"${place.blockNumber}"`
        return [filterTopic(client, index), Buffer.from(`${head},"data":${data}}`)]
      }),
    ),
  ).flat()
}

function listTopics(block: number): Topics {
  const lists = new Set(Array.from({ length: CLIENTS }, (_, client) => listOf(client)))
  return [...lists].map(list => {
    const head = `{"type":"list","id":"list","sequence":${listSequence(block)},"asOfBlock":"${blockNumberOf(block)}"`
    return [listTopic(list), Buffer.from(`${head},${encodeListRows(listPage({ minHolders: list }, block).data)}}`)]
  })
}

function tokenTopics(block: number): Topics {
  const before = { place: { blockNumber: 0, logIndex: 0 }, reorgs: 0 }
  return blockSnapshots(block).map(snapshot => [tokenTopic(snapshot.token.address), updateBytes(snapshot, before)])
}
