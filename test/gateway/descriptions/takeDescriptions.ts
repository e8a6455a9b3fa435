import { SETTINGS } from '#configuration/settings.ts'
import { VERSION } from '#package'
import { type Client, RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { type Gateway, startGateway } from '#test/gateway/startGateway.ts'
import { addressOf } from '#test/support/snapshots.ts'
import {
  EXAMPLE_FACTORY,
  EXAMPLE_REQUESTS,
  EXAMPLE_TOKEN,
  exampleActors,
  exampleAfterTrade,
  exampleProcesses,
  exampleSnapshot,
  exampleStored,
} from './describedService.ts'

/** The limits of a service without settings. */
const CONFIG = {
  rateLimitPerMinute: SETTINGS.RATE_LIMIT_PER_MINUTE.parse(undefined),
  maxConnectionsPerIp: SETTINGS.MAX_CONNECTIONS_PER_IP.parse(undefined),
  maxSubscriptionsPerConnection: 200,
  maxMessagesPerSecond: 50,
}

/** A gateway over the token of the examples, with the descriptions of a service without settings. */
export async function startDescribed(): Promise<Gateway> {
  const launchpads = {
    weth: addressOf(0xee),
    launchpads: [{ name: 'wow', adapter: 'wow', startBlock: 1_000, contracts: { factory: EXAMPLE_FACTORY } }],
  }
  const gateway = await startGateway({
    stored: exampleStored(),
    version: VERSION,
    config: { ...CONFIG, launchpads },
    now: () => 12_000,
  })
  gateway.conditions.actors = exampleActors()
  gateway.conditions.processes = exampleProcesses()
  return gateway
}

/**
 * What a service says of itself, with examples of its own answers and messages.
 *
 * @param keepExamples - stores the text of the examples where the service reads them
 */
export async function takeDescriptions(
  keepExamples: (text: string) => Promise<unknown>,
): Promise<Readonly<Record<'openApi' | 'asyncApi' | 'llms', string>>> {
  const gateway = await startDescribed()
  try {
    await keepExamples(toText(await takeExamples(gateway)))
    const read = async (path: string) => (await answerOf(gateway, path)).text()
    const readJson = async (path: string) => toText(JSON.parse(await read(path)))
    return { openApi: await readJson('/openapi.json'), asyncApi: await readJson('/asyncapi.json'), llms: await read('/llms.txt') }
  } finally {
    await gateway.close()
  }
}

const toText = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

async function takeExamples(gateway: Gateway) {
  const answers: Record<string, unknown> = {}
  for (const [id, request] of Object.entries(EXAMPLE_REQUESTS)) {
    const response = await answerOf(gateway, request)
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    answers[id] = { request, body: isJson ? await response.json() : await response.text() }
  }
  return { answers, messages: await takeMessages() }
}

async function answerOf(gateway: Gateway, request: string): Promise<Response> {
  const response = await gateway.get(request)
  if (response.status === 200) return response
  throw new Error(`EXAMPLE_REQUESTS of test/gateway/describedService.ts: ${request} answers ${response.status}: ${await response.text()}`)
}

/** Every message of the WebSocket, by type: of a session that causes all of them. */
export async function takeMessages(): Promise<Readonly<Record<string, unknown>>> {
  const fixture = await RealtimeFixture.start()
  try {
    const snapshot = exampleSnapshot()
    fixture.stored.set(EXAMPLE_TOKEN, snapshot)
    // What describes the messages is about to be written.
    const client = await fixture.client({ described: false })
    const messages: Record<string, unknown> = {}
    for (const message of [
      { type: 'subscribe', token: EXAMPLE_TOKEN },
      { type: 'unsubscribe', token: EXAMPLE_TOKEN },
      { type: 'subscribe', tokens: [EXAMPLE_TOKEN, addressOf(0xb)], id: 'watchlist' },
      { type: 'ping', id: 'alive' },
      { type: 'subscribe', token: '0x12' },
    ]) {
      client.send(message)
      messages['tokens' in message ? 'subscribe.tokens' : message.type] ??= message
      const answers = await client.settled()
      for (const answer of answers) messages[answer.type] ??= answer
    }
    client.send({ type: 'unsubscribe', token: EXAMPLE_TOKEN })
    client.send({ type: 'subscribe', token: EXAMPLE_TOKEN, delta: true })
    await client.settled()
    fixture.commit(exampleAfterTrade())
    messages['token.delta'] = await client.next()
    await takeChannelMessages(fixture, client, messages)
    return messages
  } finally {
    await fixture.stop()
  }
}

/** Of every channel, with a reorg, and of a client that comes from another database. */
async function takeChannelMessages(fixture: RealtimeFixture, client: Client, messages: Record<string, unknown>): Promise<void> {
  fixture.events.commit([0xa, 0xd])
  const answer = async (count: number) => {
    for (let left = count; left > 0; left--) {
      const message = await client.next()
      const isOfChannel = message.type === 'subscribed' || message.type === 'unsubscribed'
      const name = 'channel' in message && message.channel === 'crossings' ? 'crossings' : 'channel'
      messages[isOfChannel ? `${message.type}.${name}` : message.type] ??= message
    }
  }
  const subscribe = {
    type: 'subscribe',
    channel: 'trades',
    id: 'big',
    filters: { side: 'buy', minWeth: '0.1' },
    after: '1-1',
    reorgs: 0,
  }
  messages['subscribe.channel'] = subscribe
  const crossings = { type: 'subscribe', channel: 'crossings', filters: { of: 'holders', above: '2' } }
  messages['subscribe.crossings'] = crossings
  const others = ['launches', 'graduations'].map(channel => ({ type: 'subscribe', channel }))
  for (const message of [subscribe, ...others, crossings]) {
    client.send(message)
    await answer(1)
  }
  fixture.trade([0xa, 0xd])
  await answer(4)
  fixture.events.drop(1)
  fixture.channels.changed()
  await answer(4)
  const list = { type: 'subscribe', channel: 'list', id: 'top', delta: true, filters: { sort: 'marketCap', status: 'bonding', limit: 3 } }
  messages['subscribe.list'] = list
  fixture.gateway.reads.stored.tokens = [exampleSnapshot().token]
  client.send(list)
  messages['subscribed.list'] = await client.next()
  await answer(1)
  const { token } = exampleSnapshot()
  fixture.gateway.reads.stored.tokens = [token, { ...token, address: addressOf(0xb) }]
  fixture.lists.changed(null)
  await answer(1)
  const candles = { type: 'subscribe', channel: 'candles', id: 'chart', filters: { token: EXAMPLE_TOKEN, interval: '1m' } }
  messages['subscribe.candles'] = candles
  fixture.gateway.reads.stored.candles = exampleStored().candles ?? new Map()
  client.send(candles)
  messages['subscribed.candles'] = await client.next()
  await answer(1)
  const unsubscribe = { type: 'unsubscribe', id: 'big' }
  messages['unsubscribe.channel'] = unsubscribe
  client.send(unsubscribe)
  await answer(1)
  client.send({ type: 'subscribe', channel: 'trades', after: '1000000-1', reorgs: 9 })
  await answer(1)
  fixture.nowMs += 10_000
  fixture.channels.sweep()
  await answer(2)
}
