import type { z } from 'zod'
import { pathTemplate } from '#gateway/http/route.ts'
import type { CloseCodeName } from '#protocol/closeCodes.ts'
import { afterClose, CLOSE_CODES } from '#protocol/closeCodes.ts'
import { CHANNEL_CLIENT_MESSAGES, CHANNEL_SERVER_MESSAGES } from '#protocol/schemas/channels.ts'
import {
  ERROR_CODES,
  errorSchema,
  pingSchema,
  pongSchema,
  subscribedSchema,
  subscribeSchema,
  subscribeTokensSchema,
  tokenDeltaSchema,
  tokenUpdateSchema,
  unsubscribedSchema,
  unsubscribeSchema,
} from '#protocol/schemas/messages.ts'
import { addressText } from '#resources/values.ts'
import {
  bullets,
  createJsonSchemas,
  type DescribedService,
  describeConnectionLimits,
  describedRoutes,
  isEventStream,
  type JsonObject,
  SUMMARY,
  TITLE,
  VALUE_RULES,
} from './openApi.ts'

const CLIENT_MESSAGES = {
  subscribe: subscribeSchema,
  'subscribe.tokens': subscribeTokensSchema,
  unsubscribe: unsubscribeSchema,
  ping: pingSchema,
  ...CHANNEL_CLIENT_MESSAGES,
} as const

const SERVER_MESSAGES = {
  subscribed: subscribedSchema,
  unsubscribed: unsubscribedSchema,
  pong: pongSchema,
  'token.update': tokenUpdateSchema,
  'token.delta': tokenDeltaSchema,
  error: errorSchema,
  ...CHANNEL_SERVER_MESSAGES,
} as const

const CLOSE_MEANINGS: Readonly<Record<CloseCodeName, string>> = {
  messageTooLarge: 'The client sent a message of more than 16,384 bytes.',
  restart: 'The server stops. All updates that waited for the client have been sent.',
  leaving:
    'This server stops while others run. The reason is `retry after <n> ms`: wait that long, so that clients do not all reconnect at once.',
  unresponsive: 'The client read nothing, or answered no ping, for 60 s.',
  revoked: 'The API key of the connection was revoked.',
  flood: 'The client sent more messages than allowed.',
}

/** Every code with which the server closes, and what a client should do then. */
export function closeRows(): readonly (readonly [code: string, meaning: string])[] {
  return Object.entries(CLOSE_CODES).map(([name, { code }]) => [
    String(code),
    `${CLOSE_MEANINGS[name as CloseCodeName]} ${afterClose(code) === 'reconnect' ? 'Reconnect, with back-off.' : 'Do not reconnect.'}`,
  ])
}

/** The rules that clients of updates have to know besides the messages. */
export function realtimeRules(service: Pick<DescribedService, 'limits'>): readonly string[] {
  return [
    'Every update is its token’s full state: keep the one with the largest `sequence`, and drop the others.',
    'With `delta` most changes come as `token.delta`, a fraction of the size: merge it into the state with the sequence `base`, or subscribe again where you hold another one.',
    'After a reconnect subscribe again with the largest `sequence`: a snapshot comes only if something was missed.',
    'Channels report the events of all tokens, each event once and in order. Send the last `cursor` and `reorgs` back as `after` and `reorgs`: then nothing is missed.',
    'A slow reader gets the newest update of each token: older unsent ones are dropped.',
    'Codes 4000 to 4499 mean reconnect, 4500 to 4999 do not.',
    'The server pings silent connections; a client that answers nothing for 60 s is closed.',
    ...describeConnectionLimits(service.limits),
  ]
}

/** The service's WebSocket and event streams as AsyncAPI 3.0. */
export function asyncApi(service: DescribedService): JsonObject {
  const { routes, version, examples } = service
  const schemas = createJsonSchemas()
  const message = ([name, schema]: readonly [string, z.ZodType]) => [
    name,
    {
      name,
      title: name,
      summary: schema.meta()?.description,
      contentType: 'application/json',
      payload: schemas.of(schema),
      ...(examples.messages[name] !== undefined && { examples: [{ name, payload: examples.messages[name] }] }),
    },
  ]
  const messages = Object.fromEntries([...Object.entries(CLIENT_MESSAGES), ...Object.entries(SERVER_MESSAGES)].map(message))
  const streams = describedRoutes(routes).filter(isEventStream)
  const codes = Object.entries(ERROR_CODES).map(([code, meaning]) => `\`${code}\`: ${meaning}`)
  const closes = closeRows().map(([code, meaning]) => `\`${code}\`: ${meaning}`)
  return {
    asyncapi: '3.0.0',
    id: 'urn:tokenwire:realtime',
    info: {
      title: `${TITLE}: confirmed updates`,
      version,
      description: `${SUMMARY}\n\n${bullets([...VALUE_RULES, ...realtimeRules(service)])}`,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      tags: [{ name: 'Realtime', description: 'Confirmed updates as they happen.' }],
    },
    defaultContentType: 'application/json',
    servers: {
      webSocket: { host: '{host}', protocol: 'wss', description: '`ws` where the service has no TLS.', variables: HOST },
      eventStream: { host: '{host}', protocol: 'https', description: '`http` where the service has no TLS.', variables: HOST },
    },
    channels: {
      realtime: {
        address: '/realtime',
        title: 'WebSocket',
        summary: 'Updates of the tokens that the client subscribes to, and channels over all tokens.',
        description: `Text messages of JSON.\n\nCodes of \`error\`:\n\n${bullets(codes)}\n\nClose codes:\n\n${bullets(closes)}`,
        servers: [{ $ref: '#/servers/webSocket' }],
        bindings: { ws: { method: 'GET' } },
        messages: refs(Object.keys(messages)),
      },
      ...Object.fromEntries(
        streams.map(route => [
          route.description.id,
          {
            address: pathTemplate(route),
            title: 'Event stream',
            ...STREAMS[route.description.id],
            servers: [{ $ref: '#/servers/eventStream' }],
            messages: refs(streamedBy(route.description.id)),
          },
        ]),
      ),
    },
    operations: {
      receive: operation('receive', 'realtime', 'What the server reads.', Object.keys(CLIENT_MESSAGES)),
      send: operation('send', 'realtime', 'What the server sends.', Object.keys(SERVER_MESSAGES)),
      ...Object.fromEntries(
        streams.map(({ description: { id } }) => [id, operation('send', id, 'What the server sends.', streamedBy(id))]),
      ),
    },
    components: { messages, schemas: { Address: schemas.of(addressText), ...schemas.components() } },
  }
}

/** The parts of each event stream's channel that differ, by the id of its route. */
const STREAMS: Readonly<Record<string, JsonObject>> = {
  streamToken: {
    summary: 'Updates of one token as server-sent events.',
    description:
      'First `retry: 2000`, then events `token.update`, and with `delta=true` also `token.delta`, whose `id` is the `sequence`; a comment every 15 s. The snapshot is left out when ' +
      '`Last-Event-ID` is already the current sequence. The same conflation and bounds as the WebSocket.',
    parameters: { address: { description: 'Address of the token.' } },
  },
  streamChannel: {
    summary: 'A channel as server-sent events: events over all tokens, a list or candles.',
    description:
      'First `retry: 2000`, then the event `subscribed` and those of the channel; `list` and `candles` begin with the ' +
      'state instead. A comment every 15 s. The `id` of each event over all tokens is a position, `<cursor>-<reorgs>`: ' +
      'with `Last-Event-ID`, later events are sent first. The same messages and bounds as the WebSocket.',
  },
}

/** Answers that event streams do not send: a stream never unsubscribes, and one of a list or of candles begins with the state. */
const NOT_STREAMED = new Set(['unsubscribed.channel', 'subscribed.list', 'subscribed.candles'])

function streamedBy(routeId: string): readonly string[] {
  if (routeId === 'streamToken') return ['token.update', 'token.delta']
  return Object.keys(CHANNEL_SERVER_MESSAGES).filter(name => !NOT_STREAMED.has(name))
}

const HOST = { host: { default: '127.0.0.1:3000', description: 'Host and port of the service, with its path prefix.' } }

function refs(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/messages/${name}` }]))
}

function operation(action: 'send' | 'receive', channel: string, summary: string, messages: readonly string[]): JsonObject {
  return {
    action,
    channel: { $ref: `#/channels/${channel}` },
    summary,
    messages: messages.map(name => ({ $ref: `#/channels/${channel}/messages/${name}` })),
  }
}
