import { expect, test } from 'vitest'
import { type Token, withUsd } from '#resources/token.ts'
import { TOKEN_SORTS } from '#resources/tokens.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'
import { type Gateway, type GatewayOptions, type ListAnswer, NOT_INDEXED, startGateway, TOKEN } from '../startGateway.ts'
import { expectProblem } from './expectProblem.ts'

let gateway: Gateway

async function start(options: GatewayOptions = {}): Promise<void> {
  gateway = await startGateway(options)
}

function list(path: string) {
  return gateway.list<Token>(path)
}

const addresses = ({ data }: ListAnswer<Token>) => data.map(token => token.address)

/** Five tokens, created one second after the other; the third has no market cap. */
function fiveTokens(): Token[] {
  return [1, 2, 3, 4, 5].map(n => {
    const token = tokenOf(addressOf(n), 1_000 + n, { createdAt: `2026-01-02T03:04:0${n}.000Z`, creator: addressOf(0xc0 + (n % 2)) })
    return { ...token, market: { ...token.market, marketCapWeth: n === 3 ? null : String(10 * ((n * 3) % 5)) } }
  })
}

test('gives a token with the USD values of the current price', async () => {
  await start()
  const response = await gateway.get(`/api/tokens/${TOKEN}`)
  expect(response.status).toBe(200)
  const token = await response.json()
  expect(token).toEqual(withUsd(tokenOf(TOKEN, 1_795_000_000_123), '3000'))
  expect(token).toMatchObject({ market: { priceUsd: '0.00003702', marketCapUsd: '37020', liquidityUsd: '12600' } })
})

test('leaves USD values null when there is no price', async () => {
  await start()
  gateway.conditions.price = null
  expect(await (await gateway.get(`/api/tokens/${TOKEN}`)).json()).toMatchObject({ market: { priceUsd: null, marketCapUsd: null } })
  expect((await list('/api/tokens')).data[0]).toMatchObject({ market: { priceUsd: null, liquidityUsd: null } })
})

test('takes an address in any letter case and percent-encoded', async () => {
  await start()
  const upper = `0x${TOKEN.slice(2).toUpperCase()}`
  expect((await gateway.get(`/api/tokens/${upper}`)).status).toBe(200)
  expect((await gateway.get(`/api/tokens/%30x${TOKEN.slice(2)}`)).status).toBe(200)
})

test.for(['', '/trades', '/holders', '/holders/distribution', '/candles', `/claimable?creator=${TOKEN}`, '/stream'])(
  'tells a malformed address (400) from a token that is not indexed (404): /api/tokens/<address>%s',
  async rest => {
    await start()
    expect(await expectProblem(await gateway.get(`/api/tokens/0x123${rest}`), 400, 'invalid_parameter')).toBe(
      'address must be an address (0x and 40 hex digits), got "0x123"',
    )
    expect(await expectProblem(await gateway.get(`/api/tokens/${NOT_INDEXED}${rest}`), 404, 'token_not_found')).toContain(NOT_INDEXED)
  },
)

test('lists the newest first by default, 50 at most, with USD values', async () => {
  await start({
    stored: {
      tokens: [
        ...fiveTokens(),
        ...Array.from({ length: 60 }, (_, n) => tokenOf(addressOf(0x100 + n), n, { createdAt: '2025-01-01T00:00:00.000Z' })),
      ],
    },
  })
  const page = await list('/api/tokens')
  expect(page.data).toHaveLength(50)
  expect(addresses(page).slice(0, 5)).toEqual([5, 4, 3, 2, 1].map(addressOf))
  expect(page.data[0]?.market.priceUsd).toBe('0.00003702')
  expect(page.nextCursor).not.toBeNull()
})

test.for(TOKEN_SORTS.flatMap(sort => [[sort, 'asc'] as const, [sort, 'desc'] as const]))(
  'pages through every token once, sorted by %s %s',
  async ([sort, order]) => {
    await start({ stored: { tokens: fiveTokens() } })
    const whole = await list(`/api/tokens?sort=${sort}&order=${order}&limit=100`)
    expect(whole).toMatchObject({ nextCursor: null })
    expect(whole.data).toHaveLength(5)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: ListAnswer<Token> = await list(
        `/api/tokens?sort=${sort}&order=${order}&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
      )
      seen.push(...addresses(page))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(seen).toEqual(addresses(whole))
  },
)

test('gives all of the addresses that are asked for unless told how many', async () => {
  await start({ stored: { tokens: Array.from({ length: 90 }, (_, n) => tokenOf(addressOf(n + 1), 1_000)) } })
  const asked = Array.from({ length: 80 }, (_, n) => addressOf(n + 1))
  const all = await list(`/api/tokens?addresses=${asked.join(',')}`)
  expect(all.nextCursor).toBeNull()
  expect(addresses(all).toSorted()).toEqual(asked)
  expect((await list(`/api/tokens?addresses=${asked.join(',')}&limit=7`)).data).toHaveLength(7)
  expect((await list('/api/tokens')).data).toHaveLength(50)
})

test('sorts and filters by values in USD of the price that the page shows', async () => {
  await start({ stored: { tokens: fiveTokens() } })
  const usd = ({ data }: ListAnswer<Token>) => data.map(({ market }) => market.marketCapUsd)
  const path = '/api/tokens?sort=marketCapUsd&minMarketCapUsd=50000&limit=1'
  const first = await list(path)
  expect(usd(first)).toEqual(['90000'])
  // A cursor holds no price: the next page has another, and its rows fit it.
  for (const [price, caps] of [
    ['3000', ['60000']],
    ['1500', []],
    ['6000', ['120000']],
  ] as const) {
    gateway.conditions.price = { ...gateway.conditions.price, price } as typeof gateway.conditions.price
    expect(usd(await list(`${path}&cursor=${first.nextCursor}`)), `at ${price}`).toEqual(caps)
  }
  gateway.conditions.price = null
  await expectProblem(await gateway.get(path), 503, 'price_unavailable')
  expect((await list('/api/tokens?sort=volumeUsd24h')).data).toHaveLength(5)
})

test('filters by status, creator, launchpad and addresses', async () => {
  const launchpads = ['wow', 'elsewhere'].map(name => ({ name, adapter: name, startBlock: 0, contracts: {} }))
  await start({ stored: { tokens: fiveTokens() }, config: { launchpads: { weth: addressOf(0xee), launchpads } } })
  expect(addresses(await list(`/api/tokens?creator=${addressOf(0xc1)}`))).toEqual([5, 3, 1].map(addressOf))
  expect(addresses(await list('/api/tokens?status=migrated'))).toEqual([])
  expect(addresses(await list('/api/tokens?launchpad=wow&status=bonding&limit=1'))).toEqual([addressOf(5)])
  expect(addresses(await list('/api/tokens?launchpad=elsewhere'))).toEqual([])
  expect(addresses(await list(`/api/tokens?addresses=${addressOf(2)},${addressOf(4)},${addressOf(2)},${NOT_INDEXED}`))).toEqual(
    [4, 2].map(addressOf),
  )
})

test('takes a hundred addresses, percent-encoded commas included, but not one more', async () => {
  await start({ stored: { tokens: fiveTokens() } })
  const hundred = Array.from({ length: 100 }, (_, n) => addressOf(n + 1))
  expect(addresses(await list(`/api/tokens?addresses=${hundred.join('%2C')}`))).toHaveLength(5)
  expect(
    await expectProblem(await gateway.get(`/api/tokens?addresses=${[...hundred, TOKEN].join(',')}`), 400, 'invalid_parameter'),
  ).toMatch(/^addresses must be 1 to 100 addresses \(0x and 40 hex digits\), separated by commas, got "0x0{39}1,/)
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
  ['sort=%00%E2%80%AEevil%0d%0aX-Header:%201', 'got " evil X-Header: 1"'],
] as const)('refuses ?%s', async ([query, detail]) => {
  await start()
  expect(await expectProblem(await gateway.get(`/api/tokens?${query}`), 400, 'invalid_parameter')).toContain(detail)
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
  await start()
  expect(await expectProblem(await gateway.get(`/api/${path}`), 400, 'invalid_parameter')).toContain(detail)
})

test.for(['healthz?at=1', 'udf/time?at=1', 'geckoterminal/wow/latest-block?at=1'])(
  'takes any parameter at /%s, as probes and sites send',
  async path => {
    await start()
    expect((await gateway.get(`/${path}`)).status).not.toBe(400)
  },
)

test('shortens what it repeats of the input', async () => {
  await start()
  const detail = await expectProblem(await gateway.get(`/api/tokens?sort=${'😀'.repeat(500)}`), 400, 'invalid_parameter')
  expect(detail.endsWith(`got "${'😀'.repeat(63)}…"`)).toBe(true)
})

test.for([
  ['another sort', 'sort=holders&limit=2'],
  ['another order', 'order=asc&limit=2'],
  ['another filter', 'status=bonding&limit=2'],
])('refuses a cursor of a list with %s', async ([, query]) => {
  await start({ stored: { tokens: fiveTokens() } })
  const { nextCursor } = await list('/api/tokens?limit=2')
  expect(await expectProblem(await gateway.get(`/api/tokens?${query}&cursor=${nextCursor}`), 400, 'invalid_parameter')).toBe(
    'cursor must be the nextCursor of an answer of chain 8453 to the same request (only limit may differ)',
  )
  expect((await list(`/api/tokens?limit=3&cursor=${nextCursor}`)).data).toHaveLength(3)
})

// A client that moved between services of two chains was given a page from the middle of a list that it had never begun.
test('refuses a cursor of another chain, and names the chain whose cursors it takes', async () => {
  const stored = { tokens: fiveTokens() }
  await start({ stored })
  const other = await startGateway({ stored, chainId: 1 })
  try {
    const { nextCursor } = await list('/api/tokens?limit=2')
    const path = `/api/tokens?limit=2&cursor=${nextCursor}`
    expect(await expectProblem(await other.get(path), 400, 'invalid_parameter')).toBe(
      'cursor must be the nextCursor of an answer of chain 1 to the same request (only limit may differ)',
    )
    expect((await list(path)).data).toHaveLength(2)
  } finally {
    await other.close()
  }
})

test.for(['x', 'bnVsbA', '....', 'e30', '%00', '%F0%9F%98%80', 'W10', 'A'.repeat(512), 'A'.repeat(513)])(
  'refuses the cursor %s',
  async cursor => {
    await start()
    await expectProblem(await gateway.get(`/api/tokens?cursor=${cursor}`), 400, 'invalid_parameter')
  },
)
