import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { INTEGRATIONS, SETTINGS } from '#configuration/settings.ts'
import { routes } from '#gateway/http/routes.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { integrationRoutes } from '#integrations/integrationRoutes.ts'
import { parseClientMessage } from '#protocol/parseClientMessage.ts'
import { createValidator, DESCRIPTIONS, readAsyncApi, readOpenApi } from '#test/support/describedAnswers.ts'
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
import { type Gateway, startGateway } from './startGateway.ts'
import { type Client, RealtimeFixture } from './startRealtime.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const EXAMPLES = path.join(ROOT, 'src/gateway/descriptions/examples.json')
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }

/** The limits of a service without settings. */
const CONFIG = {
  rateLimitPerMinute: SETTINGS.RATE_LIMIT_PER_MINUTE.parse(undefined),
  maxConnectionsPerIp: SETTINGS.MAX_CONNECTIONS_PER_IP.parse(undefined),
  maxSubscriptionsPerConnection: 200,
  maxMessagesPerSecond: 50,
}

let gateway: Gateway

beforeAll(async () => {
  const launchpads = {
    weth: addressOf(0xee),
    launchpads: [{ name: 'wow', adapter: 'wow', startBlock: 1_000, contracts: { factory: EXAMPLE_FACTORY } }],
  }
  gateway = await startGateway({ stored: exampleStored(), version, config: { ...CONFIG, launchpads }, now: () => 12_000 })
  gateway.conditions.actors = exampleActors()
  gateway.conditions.processes = exampleProcesses()
  await expectCommitted(EXAMPLES, await takeExamples())
})

const toText = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

describe('the descriptions', () => {
  it.each(['openapi.json', 'asyncapi.json'])('%s is committed as the service answers it', async name => {
    const response = await gateway.get(`/${name}`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    await expectCommitted(path.join(DESCRIPTIONS, name), toText(await response.json()))
  })

  it('llms.txt is committed as the service answers it', async () => {
    await expectCommitted(path.join(DESCRIPTIONS, 'llms.txt'), await (await gateway.get('/llms.txt')).text())
  })

  // It had the WebSocket's address and one message, and `undefined` where a parameter has one bound.
  it('llms.txt has every message with all fields, so that a client can be written from it', async () => {
    const text = await (await gateway.get('/llms.txt')).text()
    const { messages, schemas } = readAsyncApi().components
    for (const name of Object.keys(messages)) {
      const section = text.split(`\n### ${name}\n`)[1]?.split('\n#')[0] ?? ''
      const fields = Object.keys((schemas[name] as { readonly properties?: object }).properties ?? {})
      expect([name, fields.filter(field => !section.includes(`\`${field}\` (`))]).toEqual([name, []])
    }
    for (const item of ['Crossing', 'TokenSummary', 'Candle', 'Trade']) expect(text).toContain(`\n- \`${item}\`: `)
    const page = await (await gateway.get('/docs/messages')).text()
    for (const described of [text, page]) expect(described).not.toMatch(/undefined|NaN|default \)|default ;|\[object/)
  })

  it.each(['openapi.json', 'asyncapi.json'])('a linter finds nothing in %s', async name => {
    const cli = path.join(ROOT, 'node_modules/@redocly/cli/bin/cli.js')
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const config = path.join(ROOT, 'docs/api/redocly.yaml')
    const lint = promisify(execFile)(process.execPath, [cli, 'lint', '--config', config, '--format=json', path.join(DESCRIPTIONS, name)], {
      env,
    })
    const { stdout } = await lint.catch((failure: { readonly stdout: string }) => failure)
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] })
  })
})

describe('what is described exists, and what exists is described', () => {
  const failed = () => expect.fail('no route is asked')
  const sources = { site: null, integrations: integrationRoutes, config: { integrations: INTEGRATIONS } } as unknown as Sources
  const templates = routes(sources, failed).map(({ path: route, description }) => ({
    template: route.replace(/:(\w+)/g, '{$1}'),
    isDescribed: description !== null,
  }))

  it('every route is in OpenAPI, but for the console’s own, and /mcp, which lists its tools itself', () => {
    const described = templates.filter(({ isDescribed }) => isDescribed).map(({ template }) => template)
    expect(Object.keys(readOpenApi().paths)).toEqual(described)
    expect(templates.filter(({ isDescribed }) => !isDescribed).map(({ template }) => template)).toEqual(['/mcp', '/mcp/', '/'])
  })

  it('every path of OpenAPI answers', async () => {
    for (const [template, { get }] of Object.entries(readOpenApi().paths)) {
      if (template.endsWith('/stream')) continue
      const request = EXAMPLE_REQUESTS[get.operationId] ?? template
      expect(request, `EXAMPLE_REQUESTS of describedService.ts has no ${get.operationId}`).not.toContain('{')
      const response = await gateway.get(request)
      expect([template, response.status]).toEqual([template, template === '/realtime' ? 426 : 200])
      await response.arrayBuffer()
    }
  })

  it('every JSON answer has an example that fits its schema', () => {
    const { paths, components } = readOpenApi()
    const objection = createValidator(components.schemas)
    const media = Object.entries(paths).flatMap(([template, { get }]) =>
      Object.entries(get.responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content).map(([contentType, { schema, example }]) => ({
          place: `${status} ${template}`,
          contentType,
          schema,
          example,
        })),
      ),
    )
    const json = media.filter(({ place, contentType }) => contentType.endsWith('json') && !/^200 \/(?:open|async)api\.json$/.test(place))
    expect(json.length).toBeGreaterThan(50)
    const objections = json.map(({ place, schema, example }) => [
      place,
      example === undefined ? 'it has no example: give EXAMPLE_REQUESTS of describedService.ts a request' : objection(schema, example),
    ])
    expect(objections.filter(([, one]) => one !== null)).toEqual([])
  })

  it('every message type that the server knows is in AsyncAPI, with an example that fits', async () => {
    const { components, operations } = readAsyncApi()
    const named = (operation: string) => operations[operation]?.messages.map(({ $ref }) => $ref.split('/').at(-1))
    const unknown = parseClientMessage(new TextEncoder().encode('{"type":"?"}'), false)
    const known = unknown.type === 'error' ? [...unknown.message.matchAll(/"(\w+)"/g)].map(([, type]) => type) : []
    expect([...new Set(named('receive')?.map(name => name?.split('.')[0]))]).toEqual(known)
    expect(Object.keys(await takeMessages()).toSorted()).toEqual(Object.keys(components.messages).toSorted())
    const objection = createValidator(components.schemas)
    for (const [name, { payload, examples }] of Object.entries(components.messages)) {
      const objections = examples.map(example => objection(payload, example.payload))
      expect([name, ...objections]).toEqual([name, null])
    }
  })

  it('finds an answer that is not as described', () => {
    const { components } = readOpenApi()
    const objection = createValidator(components.schemas)
    const token = { $ref: '#/components/schemas/Token' }
    const { token: state } = exampleSnapshot()
    expect(objection(token, state)).toBeNull()
    expect(objection(token, { ...state, news: 1 })).toContain('additional properties')
    expect(objection(token, { ...state, market: { ...state.market, priceWeth: 1 } })).toContain('priceWeth')
    expect(objection(token, { ...state, address: addressOf(0xab).toUpperCase() })).toContain('address')
  })
})

/** `npm run describe` writes the files instead. */
async function expectCommitted(file: string, text: string): Promise<void> {
  if (process.env['UPDATE_DESCRIPTIONS'] === 'true') await writeFile(file, text)
  if (text !== readFileSync(file, 'utf8')) expect.fail(`${path.relative(ROOT, file)} is not what the service says: npm run describe`)
}

async function takeExamples(): Promise<string> {
  const answers: Record<string, unknown> = {}
  for (const [id, request] of Object.entries(EXAMPLE_REQUESTS)) {
    const response = await gateway.get(request)
    expect([request, response.status]).toEqual([request, 200])
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    answers[id] = { request, body: isJson ? await response.json() : await response.text() }
  }
  return toText({ answers, messages: await takeMessages() })
}

/** Every message of the WebSocket, by type: of a session that causes all of them. */
async function takeMessages(): Promise<Readonly<Record<string, unknown>>> {
  const fixture = await RealtimeFixture.start()
  try {
    const snapshot = exampleSnapshot()
    fixture.stored.set(EXAMPLE_TOKEN, snapshot)
    const client = await fixture.client()
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
