import { beforeEach, describe, expect, test } from 'vitest'
import { type Token, withUsd } from '#resources/token.ts'
import { type ListAnswer, NOT_INDEXED, startGateway, TOKEN } from '#test/gateway/startGateway.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'
import { expectProblem } from './expectProblem.ts'

const launchpads = ['wow', 'clanker'].map(name => ({ name, adapter: name, startBlock: 0, contracts: {} }))
const gateway = await startGateway({ config: { launchpads: { weth: addressOf(0xee), launchpads } } })
const [{ price }, { stored }] = [gateway.conditions, gateway.reads]
const asked: unknown[] = []

beforeEach(() => {
  stored.tokens = [tokenOf(TOKEN, 1_795_000_000_123)]
  gateway.conditions.price = price
  gateway.reads.before = async query => void asked.push(query)
  asked.length = 0
})

const list = (query: string) => gateway.list<Token>(`/api/tokens?${query}`)
const addresses = ({ data }: ListAnswer<Token>) => data.map(token => token.address)
const refusal = async (path: string) => expectProblem(await gateway.get(path), 400, 'invalid_parameter')

/** Five tokens, created one second after the other; the third has no market cap. */
function fiveTokens(): Token[] {
  return [1, 2, 3, 4, 5].map(n => {
    const token = tokenOf(addressOf(n), 1_000 + n, { createdAt: `2026-01-02T03:04:0${n}.000Z`, creator: addressOf(0xc0 + (n % 2)) })
    return { ...token, market: { ...token.market, marketCapWeth: n === 3 ? null : String(10 * ((n * 3) % 5)) } }
  })
}

describe('a token', () => {
  test('has the USD values of the current price', async () => {
    const response = await gateway.get(`/api/tokens/${TOKEN}`)
    expect(response.status).toBe(200)
    const token = await response.json()
    expect(token).toEqual(withUsd(tokenOf(TOKEN, 1_795_000_000_123), '3000'))
    expect(token).toMatchObject({ market: { priceUsd: '0.00003702', marketCapUsd: '37020', liquidityUsd: '12600' } })
  })

  test('has no USD values when there is no price', async () => {
    gateway.conditions.price = null
    expect(await (await gateway.get(`/api/tokens/${TOKEN}`)).json()).toMatchObject({ market: { priceUsd: null, marketCapUsd: null } })
    expect((await list('')).data[0]).toMatchObject({ market: { priceUsd: null, liquidityUsd: null } })
  })

  test('is found by its address in any letter case and percent-encoded', async () => {
    for (const address of [`0x${TOKEN.slice(2).toUpperCase()}`, `%30x${TOKEN.slice(2)}`])
      expect((await gateway.get(`/api/tokens/${address}`)).status).toBe(200)
  })

  test.for(['', '/trades', '/holders', '/holders/distribution', '/candles', `/claimable?creator=${TOKEN}`, '/stream'])(
    'of a malformed address is told (400) from one that is not indexed (404): /api/tokens/<address>%s',
    async rest => {
      expect(await refusal(`/api/tokens/0x123${rest}`)).toBe('address must be an address (0x and 40 hex digits), got "0x123"')
      expect(await expectProblem(await gateway.get(`/api/tokens/${NOT_INDEXED}${rest}`), 404, 'token_not_found')).toContain(NOT_INDEXED)
    },
  )
})

describe('a list of tokens', () => {
  test('has the newest first by default, 50 at most, with USD values', async () => {
    const old = Array.from({ length: 60 }, (_, n) => tokenOf(addressOf(0x100 + n), n, { createdAt: '2025-01-01T00:00:00.000Z' }))
    stored.tokens = [...fiveTokens(), ...old]
    const page = await list('')
    expect(page.data).toHaveLength(50)
    expect(addresses(page).slice(0, 5)).toEqual([5, 4, 3, 2, 1].map(addressOf))
    expect(page.data[0]?.market.priceUsd).toBe('0.00003702')
    expect(page.nextCursor).not.toBeNull()
  })

  test('has each token once over its pages', async () => {
    stored.tokens = fiveTokens()
    for (const order of ['asc', 'desc']) {
      const query = `sort=marketCap&order=${order}`
      const whole = await list(query)
      expect(whole).toMatchObject({ data: { length: 5 }, nextCursor: null })
      const pages = [await list(`${query}&limit=2`)]
      for (const page of pages) if (page.nextCursor !== null) pages.push(await list(`${query}&limit=2&cursor=${page.nextCursor}`))
      expect(pages.flatMap(addresses)).toEqual(addresses(whole))
    }
  })

  test('has all of the addresses that are asked for unless told how many', async () => {
    stored.tokens = Array.from({ length: 90 }, (_, n) => tokenOf(addressOf(n + 1), 1_000))
    const wanted = Array.from({ length: 80 }, (_, n) => addressOf(n + 1))
    const all = await list(`addresses=${wanted.join(',')}`)
    expect(all.nextCursor).toBeNull()
    expect(addresses(all).toSorted()).toEqual(wanted)
    expect((await list(`addresses=${wanted.join(',')}&limit=7`)).data).toHaveLength(7)
    expect((await list('')).data).toHaveLength(50)
  })

  test('sorts and filters by values in USD of the price that the page shows', async () => {
    stored.tokens = fiveTokens()
    const usd = ({ data }: ListAnswer<Token>) => data.map(({ market }) => market.marketCapUsd)
    const query = 'sort=marketCapUsd&minMarketCapUsd=50000&limit=1'
    const first = await list(query)
    expect(usd(first)).toEqual(['90000'])
    // A cursor holds no price: the next page has another, and its rows fit it.
    for (const [now, caps] of [
      ['3000', ['60000']],
      ['1500', []],
      ['6000', ['120000']],
    ] as const) {
      gateway.conditions.price = { ...price, price: now } as typeof price
      expect(usd(await list(`${query}&cursor=${first.nextCursor}`)), `at ${now}`).toEqual(caps)
    }
    gateway.conditions.price = null
    await expectProblem(await gateway.get(`/api/tokens?${query}`), 503, 'price_unavailable')
    expect((await list('sort=volumeUsd24h')).data).toHaveLength(5)
  })

  // What storage finds by them is asserted of `readTokens`.
  test.for([
    [`creator=${addressOf(0xc1)}&status=migrated`, { creator: addressOf(0xc1), status: ['migrated'] }],
    ['status=bonding,migrated&launchpad=clanker', { status: ['bonding', 'migrated'], launchpad: ['clanker'] }],
    ['launchpad=wow,clanker&limit=1', { launchpad: ['clanker', 'wow'], limit: 1 }],
    [`addresses=${addressOf(2)},${addressOf(4)},${addressOf(2)}`, { addresses: [2, 4].map(addressOf) }],
    ['minMarketCap=3.5&minHolders=50', { minMarketCap: '3.5', minHolders: 50 }],
    ['minLiquidity=4.3&minVolume24h=40&minGraduation=40.5', { minLiquidity: '4.3', minVolume24h: '40', minGraduation: 40.5 }],
    ['createdAfter=1795000002&createdBefore=1795000005', { createdAfter: 1_795_000_002, createdBefore: 1_795_000_005 }],
    ['sort=trades5m&order=asc', { sort: 'trades5m', order: 'asc' }],
  ] as const)('asks storage for %s', async ([query, expected]) => {
    await list(query)
    expect(asked).toMatchObject([expected])
  })

  test('takes a hundred addresses, percent-encoded commas included, but not one more', async () => {
    stored.tokens = fiveTokens()
    const hundred = Array.from({ length: 100 }, (_, n) => addressOf(n + 1))
    expect(addresses(await list(`addresses=${hundred.join('%2C')}`))).toHaveLength(5)
    expect(await refusal(`/api/tokens?addresses=${[...hundred, TOKEN].join(',')}`)).toMatch(
      /^addresses must be 1 to 100 addresses \(0x and 40 hex digits\), separated by commas, got "0x0{39}1,/,
    )
  })
})

test.for([
  ['limit=0', 'limit must be an integer from 1 to 100, got "0"'],
  ['limit=101', 'limit must be an integer from 1 to 100, got "101"'],
  ['limit=1000', 'limit must be an integer from 1 to 100, got "1000"'],
  ['limit=', 'limit must be an integer from 1 to 100, got ""'],
  ['limit', 'limit must be an integer from 1 to 100, got ""'],
  ['limit=5.0', 'limit must be an integer from 1 to 100, got "5.0"'],
  ['limit=+5', 'limit must be an integer from 1 to 100, got " 5"'],
  ['limit=1e1', 'limit must be an integer from 1 to 100, got "1e1"'],
  ['limit=0x5', 'limit must be an integer from 1 to 100, got "0x5"'],
  ['limit=5&limit=5', 'limit is given 2 times; it must be given once'],
  [
    'sort=price',
    'sort must be one of createdAt, marketCap, volume5m, volume1h, volume24h, priceChange5m, priceChange1h, priceChange24h, liquidity, holders, trades5m, trades1h, trades24h, lastTradeAt, graduation, migratedAt, trending, marketCapUsd, liquidityUsd, volumeUsd5m, volumeUsd1h, volumeUsd24h, got "price"',
  ],
  ['order=DESC', 'order must be one of asc, desc, got "DESC"'],
  ['status=', 'status must be 1 to 4 of none, bonding, completed, migrated, separated by commas, got ""'],
  ['creator=0x12', 'creator must be an address (0x and 40 hex digits), got "0x12"'],
  ['launchpad=', 'launchpad must be 1 to 20 names of launchpads, separated by commas, got ""'],
  ['addresses=', 'addresses must be 1 to 100 addresses (0x and 40 hex digits), separated by commas, got ""'],
  [`addresses=${TOKEN},`, `addresses must be 1 to 100 addresses (0x and 40 hex digits), separated by commas, got "${TOKEN},"`],
  ['sort=%zz', 'the query must be percent-encoded UTF-8, got "sort=%zz"'],
  ['unknown=%ff', 'the query must be percent-encoded UTF-8, got "unknown=%ff"'],
  ['%ff=asc', 'the query must be percent-encoded UTF-8, got "%ff=asc"'],
  ['launchpad=wow,moon', 'launchpad must be of wow, clanker, got "moon"'],
  ['status=bonding,dead', 'status must be 1 to 4 of none, bonding, completed, migrated, separated by commas, got "bonding,dead"'],
  ['minGraduation=100.1', 'minGraduation must be a number from 0 to 100, got "100.1"'],
  ['minMarketCap=-1', 'minMarketCap must be a decimal number of at most 18 digits on each side of the point, got "-1"'],
  ['sort=%00%E2%80%AEevil%0d%0aX-Header:%201', 'got " evil X-Header: 1"'],
] as const)('refuses ?%s', async ([query, detail]) => {
  expect(await refusal(`/api/tokens?${query}`)).toContain(detail)
})

// `?Limit=1` once answered fifty tokens.
test.for([
  ['tokens?Limit=1', 'unknown parameter "Limit"; did you mean limit?'],
  ['tokens?min_market_cap=1', 'unknown parameter "min_market_cap"; did you mean '],
  ['tokens?sort=marketCap&__proto__=1', 'unknown parameter "__proto__"; did you mean '],
  ['tokens?&=x', 'unknown parameter ""; did you mean '],
  ['chain-stats?x=1', 'unknown parameter "x"; there are none here'],
  ['stream?channel=launches&makers=0x12', 'unknown filter "makers"; did you mean '],
] as const)('refuses %s with the nearest known name', async ([path, detail]) => {
  expect(await refusal(`/api/${path}`)).toContain(detail)
})

test.for(['healthz?at=1', 'udf/time?at=1', 'geckoterminal/wow/latest-block?at=1'])(
  'takes any parameter at /%s, as probes and sites send',
  async path => {
    expect((await gateway.get(`/${path}`)).status).not.toBe(400)
  },
)

test('shortens what it repeats of the input', async () => {
  const detail = await refusal(`/api/tokens?sort=${'😀'.repeat(500)}`)
  expect(detail.endsWith(`got "${'😀'.repeat(63)}…"`)).toBe(true)
})

test.for([
  ['another sort', 'sort=holders&limit=2'],
  ['another order', 'order=asc&limit=2'],
  ['another filter', 'status=bonding&limit=2'],
  ['one filter more', 'status=none,bonding&minHolders=1&limit=2'],
])('refuses a cursor of a list with %s', async ([, query]) => {
  stored.tokens = fiveTokens()
  const { nextCursor } = await list('limit=2&status=none,bonding')
  expect(await refusal(`/api/tokens?${query}&cursor=${nextCursor}`)).toBe(
    'cursor must be the nextCursor of an answer of chain 8453 to the same request (only limit may differ)',
  )
  expect((await list(`limit=3&status=bonding,none&cursor=${nextCursor}`)).data).toHaveLength(3)
})

// A client that moved between services of two chains was given a page from the middle of a list that it had never begun.
test('refuses a cursor of another chain, and names the chain whose cursors it takes', async () => {
  stored.tokens = fiveTokens()
  const other = await startGateway({ stored, chainId: 1 })
  const { nextCursor } = await list('limit=2')
  expect(await expectProblem(await other.get(`/api/tokens?limit=2&cursor=${nextCursor}`), 400, 'invalid_parameter')).toBe(
    'cursor must be the nextCursor of an answer of chain 1 to the same request (only limit may differ)',
  )
  expect((await list(`limit=2&cursor=${nextCursor}`)).data).toHaveLength(2)
})

test.for(['x', 'bnVsbA', '....', 'e30', '%00', '%F0%9F%98%80', 'W10', 'A'.repeat(512), 'A'.repeat(513)])(
  'refuses the cursor %s',
  async cursor => {
    expect(await refusal(`/api/tokens?cursor=${cursor}`)).toMatch(/^cursor must be /)
  },
)
