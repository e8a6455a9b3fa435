import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as channels from '#client/feed/channelMessages.ts'
import * as messages from '#client/feed/messages.ts'
import * as ofProcesses from '#client/rest/healthShapes.ts'
import * as ofMarket from '#client/rest/marketShapes.ts'
import { pageShape } from '#client/rest/pageShape.ts'
import * as own from '#client/rest/resourceShapes.ts'
import { type AnyShape, mismatch, object, type Shape, string } from '#client/rest/shape.ts'
import * as ofWallets from '#client/rest/walletShapes.ts'
import type { Token } from '#domain/token.ts'
import * as channelSchemas from '#protocol/schemas/channels.ts'
import * as sent from '#protocol/schemas/messages.ts'
import * as operations from '#protocol/schemas/operations.ts'
import * as resources from '#protocol/schemas/resources.ts'
import * as tokens from '#protocol/schemas/token.ts'
import * as wallets from '#protocol/schemas/wallets.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'

/** A shape as JSON Schema. */
function jsonSchema(shape: AnyShape): object {
  switch (shape.kind) {
    case 'string':
      return { type: 'string', ...(shape.pattern === undefined ? {} : { pattern: shape.pattern.source }) }
    case 'number': {
      const { min = shape.whole ? Number.MIN_SAFE_INTEGER : undefined, max = shape.whole ? Number.MAX_SAFE_INTEGER : undefined } = shape
      const bounds = { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) }
      return { type: shape.whole ? 'integer' : 'number', ...bounds }
    }
    case 'boolean':
      return { type: 'boolean' }
    case 'choice':
      return { type: 'string', enum: [...shape.options] }
    case 'optional':
      return jsonSchema(shape.inner)
    case 'nullable':
      return { anyOf: [jsonSchema(shape.inner), { type: 'null' }] }
    case 'list':
      return { type: 'array', items: jsonSchema(shape.item), ...(shape.max === undefined ? {} : { maxItems: shape.max }) }
    case 'record':
      return { type: 'object', propertyNames: { type: 'string' }, additionalProperties: jsonSchema(shape.value) }
    case 'object': {
      const properties = Object.fromEntries(Object.entries(shape.fields).map(([key, field]) => [key, jsonSchema(field)]))
      const required = Object.keys(shape.fields)
        .filter(key => shape.fields[key]?.kind !== 'optional')
        .toSorted()
      return { type: 'object', properties, required }
    }
  }
}

/** Without the descriptions. */
function serverSchema(schema: z.ZodType): unknown {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', reused: 'inline', metadata: z.registry() })
  // One spelling for equal schemas: a constant becomes an enum of one, and several types become several schemas.
  return JSON.parse(JSON.stringify(rest), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    // An empty list would be harmless, and the client chooses the ids.
    if ('minItems' in value) delete value.minItems
    if ('maxLength' in value) delete value.maxLength
    if ('required' in value && Array.isArray(value.required)) (value.required as string[]).sort((a, b) => (a < b ? -1 : 1))
    if ('const' in value) {
      const { const: only, ...others } = value
      return { ...others, enum: [only] }
    }
    if (!('type' in value) || !Array.isArray(value.type)) return value
    const { type: types, ...others } = value
    return { anyOf: types.map((type: string) => (type === 'null' ? { type } : { type, ...others })) }
  })
}

describe('the shapes of the client', () => {
  it.each<[string, AnyShape, z.ZodType]>([
    ['a token', own.tokenShape, tokens.tokenSchema],
    ['a trade', own.tradeShape, tokens.tradeSchema],
    ['a holder', own.holderShape, tokens.holderSchema],
    ['a candle', own.candleShape, resources.candleSchema],
    ['what is claimable', ofWallets.claimableShape, resources.claimableSchema],
    ['a trader', ofWallets.traderShape, wallets.traderSchema],
    ['a holding', ofWallets.holdingShape, wallets.holdingSchema],
    ['a wallet', ofWallets.walletShape, wallets.walletSchema],
    ['a claim of a wallet', ofWallets.walletClaimShape, wallets.walletClaimSchema],
    ['the price of ETH', own.ethUsdShape, resources.ethUsdSchema],
    ['the statistics', own.chainStatsShape, resources.chainStatsSchema],
    ['the health', ofProcesses.indexerHealthShape, operations.indexerHealthSchema],
    ['a process', ofProcesses.processStateShape, operations.processStateSchema],
    ['an actor', ofProcesses.actorStateShape, operations.actorStateSchema],
    ['a page', pageShape(own.holderShape), resources.listSchema(tokens.holderSchema)],
    ['a launchpad', ofMarket.launchpadShape, resources.launchpadSchema],
    ['how a token is spread', ofMarket.distributionShape, resources.holderDistributionSchema],
    ['an update', messages.tokenUpdateShape, sent.tokenUpdateSchema],
    // The client gives its messages no id.
    ['the answer to a subscription', messages.subscribedShape, sent.subscribedSchema.omit({ id: true })],
    ['trades of a channel', channels.tradesShape, channelSchemas.tradesSchema],
    ['launches', channels.launchesShape, channelSchemas.launchesSchema],
    ['graduations', channels.graduationsShape, channelSchemas.graduationsSchema],
    ['a reorg', channels.reorgShape, channelSchemas.reorgSchema],
    ['a gap', channels.gapShape, channelSchemas.gapSchema],
    ['candles', channels.candlesShape, channelSchemas.candleStateSchema],
    // The client does not read the filters that the server repeats.
    [
      'the answer to a subscription to events',
      channels.eventsSubscribedShape,
      channelSchemas.subscribedChannelSchema.omit({ filters: true }),
    ],
  ])("equal the server's schema of %s", (_, shape, schema) => {
    expect(jsonSchema(shape)).toEqual(serverSchema(schema))
  })

  it('name the field that does not fit', () => {
    const token = tokenOf(addressOf(1), 7)
    expect(mismatch(own.tokenShape, { ...token, news: true })).toBeNull()
    expect(mismatch(own.tokenShape, { ...token, sequence: 1.5 })).toBe('sequence')
    expect(mismatch(own.tokenShape, { ...token, market: { ...token.market, priceWeth: 1 } })).toBe('market.priceWeth')
    expect(mismatch(own.tokenShape, { ...token, pool: [] })).toBe('pool')
    expect(mismatch(own.tokenShape, [])).toBe('')
    expect(
      mismatch(pageShape(own.tokenShape), { data: [token, { ...token, totalSupply: '1e27' }], nextCursor: null, asOfBlock: '1' }),
    ).toBe('data.1.totalSupply')
    expect(mismatch(ofProcesses.actorStateShape, JSON.parse('{"__proto__":{"token":"x"}}'))).toBe('token')
    // JSON has no infinity, but a number can overflow to it.
    expect(
      mismatch(own.ethUsdShape.kind === 'object' ? (own.ethUsdShape.fields['ageSeconds'] ?? string) : string, JSON.parse('1e999')),
    ).toBe('')
  })

  it('are checked against their types by the compiler', () => {
    const { symbol: _, ...fields } = own.tokenShape.kind === 'object' ? own.tokenShape.fields : {}
    // @ts-expect-error A field is missing.
    const short: Shape<Pick<Token, 'symbol' | 'launchpad'>> = object({ launchpad: string })
    // @ts-expect-error A symbol may be null.
    const narrow: Shape<Pick<Token, 'symbol'>> = object({ symbol: string })
    expect([short.kind, narrow.kind, Object.keys(fields).includes('symbol')]).toEqual(['object', 'object', false])
  })
})
