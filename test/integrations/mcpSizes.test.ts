import { describe, expect, it, test } from 'vitest'
import { TEXT_LIMITS } from '#domain/text.ts'
import type { Leader } from '#resources/traders.ts'
import { startGateway, TOKEN } from '#test/gateway/startGateway.ts'
import { addressOf, holdersOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'
import { aClaim, aHolding, aTrader } from '#test/support/walletRows.ts'

// listTokens once answered 120 KB, and listCandleSeries 172 KB, which clients cut or keep from their model.

const KB = 1_000
const tokens = Array.from({ length: 50 }, (_, index) => addressOf(index === 0 ? Number(TOKEN) : 0xa00 + index))
/** The required arguments of all tools. */
const REQUIRED = { address: TOKEN, creator: addressOf(0xc0), q: 'A', tokens }

/** What there is of each list. */
const ROWS: Readonly<Record<string, number>> = {
  listTokens: 50,
  searchTokens: 50,
  listCandles: 1_600,
  listCandleSeries: 8,
  listSparklines: 8,
}
const ROWS_OF_OTHERS = 120

const launchpads = Array.from({ length: ROWS_OF_OTHERS }, (_, index) => ({
  name: `${index}`.padEnd(64, 'x'),
  adapter: 'wow' as const,
  factory: addressOf(1),
  protocolRewards: addressOf(2),
  startBlock: 0,
}))
const gateway = await startGateway({ stored: largeRows(), config: { launchpads: { weth: addressOf(0xee), launchpads } as never } })
const { tools } = await ask<{ readonly tools: readonly Tool[] }>('tools/list', {})
const called = tools.map(tool => [tool.name, tool] as const)

describe.each(called)('%s', (name, { inputSchema: { properties, required } }) => {
  const given = Object.fromEntries(required.map(argument => [argument, REQUIRED[argument as keyof typeof REQUIRED]]))
  const { limit } = properties
  const large = limit === undefined ? given : { ...given, limit: limit.maximum }

  it('answers 40 KB at most to its required arguments, and 90 KB to the largest limit', async () => {
    expect((await call(name, given)).bytes).toBeLessThanOrEqual(40 * KB)
    expect((await call(name, large)).bytes).toBeLessThanOrEqual(90 * KB)
    if (limit !== undefined) expect(limit.default).toBeGreaterThan(0)
  })

  it.runIf('cursor' in properties)('answers each row once, over as many answers as it takes', async () => {
    const rows: unknown[] = []
    const fewer = required.includes('tokens') ? { tokens: tokens.slice(0, 8) } : {}
    let cursor: string | null | undefined
    do {
      const { answer } = await call(name, { ...large, ...fewer, cursor })
      rows.push(...(answer.data ?? []))
      cursor = answer.nextCursor
    } while (cursor !== null && cursor !== undefined)
    expect(new Set(rows.map(row => JSON.stringify(row))).size).toBe(rows.length)
    expect(rows).toHaveLength(ROWS[name] ?? ROWS_OF_OTHERS)
  })
})

test('cuts the texts of creators, and keeps what is of no use in parts', async () => {
  const { answer, text } = await call('getToken', { address: TOKEN })
  const { description, symbol, createdTxHash } = answer as unknown as ReturnType<typeof longToken>
  expect([description, symbol].map(cut => [cut?.at(-1), Buffer.byteLength(JSON.stringify(cut)) <= 260])).toEqual([
    ['…', true],
    ['…', true],
  ])
  expect(createdTxHash).toMatch(/^0x[\da-f]{64}$/)
  expect(JSON.parse(text)).toEqual(answer)
  const { answer: claims } = await call('listClaims', { address: TOKEN })
  expect((claims.data as readonly ReturnType<typeof aClaim>[])[0]?.claim?.data).toHaveLength(1_002)
})

interface Tool {
  readonly name: string
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, { readonly maximum?: number; readonly default?: number }>>
    readonly required: readonly string[]
  }
}

interface Listed {
  readonly data?: readonly unknown[]
  readonly nextCursor?: string | null
}

async function post(method: string, params: object): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return (await fetch(`${gateway.url}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).text()
}

async function ask<T>(method: string, params: object): Promise<T> {
  return (JSON.parse(await post(method, params)) as { readonly result: T }).result
}

async function call(name: string, given: object): Promise<{ readonly answer: Listed; readonly text: string; readonly bytes: number }> {
  const message = await post('tools/call', { name, arguments: given })
  const { isError, content, structuredContent } = (JSON.parse(message) as { readonly result: CallResult }).result
  const text = content[0].text
  if (isError) throw new Error(`${name}: ${text}`)
  return { answer: structuredContent, text, bytes: Buffer.byteLength(message) }
}

interface CallResult {
  readonly isError: boolean
  readonly content: readonly [{ readonly text: string }]
  readonly structuredContent: Listed
}

/** Rows whose texts are as long as they may be, in characters that take the most bytes, and whose numbers have many digits. */
function largeRows() {
  const trade = stretched(tradeOf(TOKEN))
  const trades = Array.from({ length: ROWS_OF_OTHERS }, (_, index) => {
    return { ...trade, id: `456-${index}`, logIndex: index, maker: TOKEN }
  })
  const candle = { open: digits('0.'), high: digits('0.'), low: digits('0.'), close: digits('0.'), volume: digits(''), trades: 99_999 }
  const candles = Array.from({ length: 1_600 }, (_, index) => ({ time: 1_795_000_020 + 60 * index, ...candle }))
  const many = <Row>(rowOf: (index: number) => Row) => Array.from({ length: ROWS_OF_OTHERS }, (_, index) => rowOf(index))
  const call = { to: addressOf(1), data: `0x${'ab'.repeat(500)}` as const }
  const leader: Omit<Leader, 'address'> = stretched({
    buys: 1,
    sells: 1,
    boughtWeth: '0.1',
    boughtUsd: '0.1',
    soldWeth: '0.1',
    soldUsd: '0.1',
    volumeWeth: '0.1',
    volumeUsd: '0.1',
    realizedWeth: '-0.1',
    realizedUsd: '-0.1',
    tradesWithoutWethValue: 1,
    tradesWithoutUsdValue: 1,
    salesWithoutWethProfit: 1,
    salesWithoutUsdProfit: 1,
    lastTradeAt: '2026-01-02T03:04:08.000Z',
  })
  const named = { symbol: long('symbol'), name: long('name'), imageUrl: `https://a/${'x'.repeat(2_038)}` }
  return {
    tokens: tokens.map(longToken),
    trades,
    holders: new Map([
      [TOKEN, [...holdersOf(ROWS_OF_OTHERS)].map(holder => ({ ...stretched(holder), classes: ['sniper' as const, 'insider' as const] }))],
    ]),
    candles: new Map(tokens.map(token => [token, token === TOKEN ? candles : candles.slice(0, 150)])),
    traders: many(index => stretched(aTrader(addressOf(0xd000 + index), { valueUsd: '0.1', unrealizedUsd: '0.1' }))),
    leaders: many(index => ({ ...leader, address: addressOf(0xd000 + index) })),
    holdings: many(index => stretched(aHolding({ address: addressOf(0xe000 + index), ...named }))),
    claims: many(index => ({ ...aClaim(addressOf(0xf000 + index), { claim: call }), symbol: long('quoteSymbol') })),
  }
}

function longToken(address: (typeof tokens)[number]) {
  const links = Array.from({ length: 8 }, (_, index) => ({ kind: 'website' as const, url: `https://${index}/${'x'.repeat(246)}` }))
  const texts = { symbol: `A${long('symbol')}`, name: long('name'), description: long('description'), metadataUri: long('metadataUri') }
  return stretched(tokenOf(address, 1, { ...texts, surface: long('surface'), imageUrl: `https://a/${'x'.repeat(2_038)}`, links }))
}

function long(text: keyof typeof TEXT_LIMITS): string {
  return '\u0001'.repeat(TEXT_LIMITS[text])
}

function digits(start: string): string {
  return start.padEnd(30, '123456789')
}

/** The row with a long fraction in each decimal. */
function stretched<Row>(row: Row): Row {
  const isDecimal = (value: unknown) => typeof value === 'string' && /^-?\d+\.\d+$/.test(value)
  return JSON.parse(JSON.stringify(row), (_name, value: unknown) => (isDecimal(value) ? digits(String(value)) : value)) as Row
}
