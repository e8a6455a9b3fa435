import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { INTEGRATIONS } from '#configuration/settings.ts'
import { routes } from '#gateway/http/routes.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { integrationRoutes } from '#integrations/integrationRoutes.ts'
import { parseClientMessage } from '#protocol/parseClientMessage.ts'
import type { Gateway } from '#test/gateway/startGateway.ts'
import { createValidator, DESCRIPTIONS, readAsyncApi, readOpenApi } from '#test/support/describedAnswers.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { EXAMPLE_REQUESTS, exampleSnapshot } from './describedService.ts'
import { startDescribed, takeMessages } from './takeDescriptions.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')

let gateway: Gateway

beforeAll(async () => {
  gateway = await startDescribed()
})

describe('the descriptions', () => {
  it.each(['openapi.json', 'asyncapi.json'])('the service answers /%s as JSON', async name => {
    const response = await gateway.get(`/${name}`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
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
