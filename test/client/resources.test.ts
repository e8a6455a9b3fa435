import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as messages from '#client/messages.ts'
import * as own from '#client/resources.ts'
import { mismatch, object, type Schema, type Shape, text } from '#client/schema.ts'
import type { Token } from '#domain/token.ts'
import * as sent from '#protocol/messages.ts'
import * as operations from '#protocol/operations.ts'
import * as resources from '#protocol/resources.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'

/** What a schema of the client says, in the words that the server's are printed in. */
function jsonSchema(shape: Shape): object {
  switch (shape.kind) {
    case 'text':
      return { type: 'string', ...(shape.pattern === undefined ? {} : { pattern: shape.pattern.source }) }
    case 'number': {
      const { min = shape.whole ? Number.MIN_SAFE_INTEGER : undefined, max = shape.whole ? Number.MAX_SAFE_INTEGER : undefined } = shape
      const bounds = { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) }
      return { type: shape.whole ? 'integer' : 'number', ...bounds }
    }
    case 'flag':
      return { type: 'boolean' }
    case 'choice':
      return { type: 'string', enum: [...shape.options] }
    case 'nullable':
      return { anyOf: [jsonSchema(shape.inner), { type: 'null' }] }
    case 'list':
      return { type: 'array', items: jsonSchema(shape.item), ...(shape.max === undefined ? {} : { maxItems: shape.max }) }
    case 'map':
      return { type: 'object', propertyNames: { type: 'string' }, additionalProperties: jsonSchema(shape.item) }
    case 'object': {
      const properties = Object.fromEntries(Object.entries(shape.fields).map(([key, field]) => [key, jsonSchema(field)]))
      return { type: 'object', properties, required: Object.keys(properties) }
    }
  }
}

function serverSchema(schema: z.ZodType): unknown {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', reused: 'inline' })
  // The same in one spelling: a constant is a choice of one, and several types are several schemas.
  return JSON.parse(JSON.stringify(rest), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    if ('const' in value) {
      const { const: only, ...others } = value
      return { ...others, enum: [only] }
    }
    if (!('type' in value) || !Array.isArray(value.type)) return value
    const { type: types, ...others } = value
    return { anyOf: types.map((type: string) => (type === 'null' ? { type } : { type, ...others })) }
  })
}

describe('the schemas of the client', () => {
  it.each<[string, Shape, z.ZodType]>([
    ['a token', own.tokenSchema, resources.tokenSchema],
    ['a trade', own.tradeSchema, resources.tradeSchema],
    ['a holder', own.holderSchema, resources.holderSchema],
    ['a candle', own.candleSchema, resources.candleSchema],
    ['what is claimable', own.claimableSchema, resources.claimableSchema],
    ['the price of ETH', own.ethUsdSchema, resources.ethUsdSchema],
    ['the statistics', own.chainStatsSchema, resources.chainStatsSchema],
    ['the health', own.indexerHealthSchema, operations.indexerHealthSchema],
    ['an actor', own.actorStateSchema, operations.actorStateSchema],
    ['a page', own.pageSchema(own.holderSchema), resources.listSchema(resources.holderSchema)],
    ['an update', messages.tokenUpdateSchema, sent.tokenUpdateSchema],
    ['the answer to a subscription', messages.subscribedSchema, sent.subscribedSchema],
    ['the answer to its end', messages.unsubscribedSchema, sent.unsubscribedSchema],
  ])('say of %s what those of the server say', (_, shape, schema) => {
    expect(jsonSchema(shape)).toEqual(serverSchema(schema))
  })

  it('say where a value is not as promised', () => {
    const token = tokenOf(addressOf(1), 7)
    expect(mismatch(own.tokenSchema, { ...token, news: true })).toBeNull()
    expect(mismatch(own.tokenSchema, { ...token, sequence: 1.5 })).toBe('sequence')
    expect(mismatch(own.tokenSchema, { ...token, market: { ...token.market, priceWeth: 1 } })).toBe('market.priceWeth')
    expect(mismatch(own.tokenSchema, { ...token, pool: [] })).toBe('pool')
    expect(mismatch(own.tokenSchema, [])).toBe('')
    expect(mismatch(own.pageSchema(own.tokenSchema), { data: [token, { ...token, totalSupply: '1e27' }], nextCursor: null })).toBe(
      'data.1.totalSupply',
    )
    expect(mismatch(own.actorStateSchema, JSON.parse('{"__proto__":{"token":"x"}}'))).toBe('token')
    // JSON has no infinity, but a number may be too large for one.
    expect(mismatch(own.ethUsdSchema.kind === 'object' ? (own.ethUsdSchema.fields['ageSeconds'] ?? text) : text, JSON.parse('1e999'))).toBe(
      '',
    )
  })

  it('are held against their types by the compiler', () => {
    const { symbol: _, ...fields } = own.tokenSchema.kind === 'object' ? own.tokenSchema.fields : {}
    // @ts-expect-error A field is missing.
    const short: Schema<Pick<Token, 'symbol' | 'launchpad'>> = object({ launchpad: text })
    // @ts-expect-error A symbol may be null.
    const narrow: Schema<Pick<Token, 'symbol'>> = object({ symbol: text })
    expect([short.kind, narrow.kind, Object.keys(fields).includes('symbol')]).toEqual(['object', 'object', false])
  })
})
