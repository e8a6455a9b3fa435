import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { INTEGRATIONS, type Integration } from '#configuration/settings.ts'
import { createRouter } from '#gateway/http/requests.ts'
import { routes } from '#gateway/http/routes.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { integrationRoutes } from '#integrations/integrationRoutes.ts'

/** No handler runs here. */
const tableWith = (integrations: readonly Integration[]) =>
  routes({ site: null, integrations: integrationRoutes, config: { role: 'all', integrations } } as unknown as Sources, () =>
    expect.fail('no route is asked'),
  )
const TABLE = tableWith(INTEGRATIONS)

interface JsonSchema {
  readonly properties: Readonly<Record<string, { readonly description?: string; readonly type?: string; readonly default?: unknown }>>
  readonly required?: readonly string[]
}

const describeParameters = (path: string, io: 'input' | 'output' = 'output'): JsonSchema => {
  const route = TABLE.find(one => one.path === path)
  if (route === undefined) throw new RangeError(`no route ${path}`)
  return z.toJSONSchema(route.parameters, { io }) as unknown as JsonSchema
}

describe('the table of routes', () => {
  it.each(TABLE.map(({ path, parameters }) => [path, parameters] as const))('describes every parameter of %s', (path, parameters) => {
    const inPath = path.split('/').flatMap(segment => (segment.startsWith(':') ? [segment.slice(1)] : []))
    expect(Object.keys(parameters.shape)).toEqual(expect.arrayContaining(inPath))
    expect(describeParameters(path, 'input').required ?? []).toEqual(expect.arrayContaining(inPath))
    for (const { description, type } of Object.values(describeParameters(path).properties)) {
      expect(description).toMatch(/^[`A-Z].*\.$/)
      expect(type).toMatch(/^(?:string|integer|number|boolean|array)$/)
    }
  })

  it('has the integrations that are switched on', () => {
    const added = (integrations: readonly Integration[]) => tableWith(integrations).length - tableWith([]).length
    expect(added(['supply'])).toBe(2)
    expect(added(['udf'])).toBe(7)
    expect(added(['dexscreener'])).toBe(4)
    expect(added(INTEGRATIONS)).toBe(29)
  })

  it('gives the type, range and default of the values, and which ones are required', () => {
    expect(describeParameters('/api/tokens/:address/candles').properties).toEqual({
      address: { description: 'Address of the token.', type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
      interval: {
        description: expect.stringContaining('Length of a candle'),
        type: 'string',
        enum: ['1s', '5s', '15s', '30s', '1m', '5m', '15m', '30m', '1h', '4h', '12h', '1d', '1w'],
        default: '1m',
      },
      of: {
        description: 'Whether candles show prices or market caps; `marketCap`: price times the current total supply.',
        type: 'string',
        enum: ['price', 'marketCap'],
        default: 'price',
      },
      from: {
        description: 'Unix seconds, inclusive: the first candle is the one that contains this time.',
        type: 'integer',
        minimum: 0,
        maximum: 253_402_300_799,
      },
      to: {
        description: 'Unix seconds, inclusive: no candle starts after this time.',
        type: 'integer',
        minimum: 0,
        maximum: 253_402_300_799,
      },
      currency: {
        description: 'Currency of prices and volume; `quote`: the quote currency of the pool in which the token trades.',
        type: 'string',
        enum: ['weth', 'usd', 'quote'],
        default: 'weth',
      },
      fill: { description: 'Whether intervals without a trade get a candle at the last price.', type: 'boolean', default: false },
      limit: { description: 'Rows per page.', type: 'integer', minimum: 1, maximum: 1_500, default: 300 },
      cursor: { description: 'The `nextCursor` of the page before this one.', type: 'string', minLength: 1, maxLength: 512 },
    })
    expect(describeParameters('/api/tokens/:address/candles', 'input').required).toEqual(['address'])
    expect(describeParameters('/api/tokens').properties['addresses']).toEqual({
      description: 'Only these tokens. An address that is not an indexed token is left out.',
      type: 'array',
      maxItems: 100,
      items: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
    })
  })
})

const ADDRESS = '0x00000000000000000000000000000000000000a1'
const matched = createRouter(TABLE)

/*
 * A base address that ends with a slash gives `//api/tokens`, and the answer said no more than that there is nothing: newcomers took the
 * service for broken.
 */
it.each([
  ['//api/tokens', '/api/tokens'],
  ['/api/tokens/', '/api/tokens'],
  ['/api/token', '/api/tokens'],
  ['/API/Tokens', '/api/tokens'],
  ['/health', '/healthz'],
  [`/api/tokens/${ADDRESS}/candle`, '/api/tokens/{address}/candles'],
  [`/api/wallet/${ADDRESS}/holdings`, '/api/wallets/{address}/holdings'],
])('names the path that %s is meant for', (path, meant) => {
  expect(matched('GET', path)).toMatchObject({ kind: 'problem', status: 404, detail: expect.stringMatching(`; did you mean ${meant}\\?$`) })
})

it.each(['/wp-login.php', '/graphql', `/${'a'.repeat(4_000)}`])('suggests no path where none is near, %#', path => {
  expect(matched('GET', path)).toMatchObject({ kind: 'problem', status: 404, detail: expect.stringMatching('; /docs has all paths$') })
})
