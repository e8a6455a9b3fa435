import { beforeEach, describe, expect, test } from 'vitest'
import type { Trade } from '#resources/trades.ts'
import { startGateway, TOKEN } from '#test/gateway/startGateway.ts'
import { addressOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'
import { expectProblem } from './expectProblem.ts'

const OTHER = addressOf(0xa2)
const launchpads = ['wow', 'clanker', 'usdc'].map((name, index) => ({
  name,
  adapter: name === 'usdc' ? 'quote-pool' : 'bonding-curve',
  startBlock: 0,
  contracts: { factory: addressOf(index) },
}))
/** A buy of one token and a sell of another, each by a maker of its own, in the blocks 10 to 12. */
const TRADES: readonly Trade[] = [10, 11, 12].flatMap(block =>
  [TOKEN, OTHER].map((token, logIndex) => ({
    ...tradeOf(token),
    id: `${block}-${logIndex}`,
    blockNumber: String(block),
    logIndex,
    side: logIndex === 0 ? 'buy' : 'sell',
    maker: addressOf(0xd0 + logIndex),
    amountWeth: String(block),
  })),
)
const gateway = await startGateway({ config: { launchpads: { weth: addressOf(0xee), launchpads } } })
const { stored } = gateway.reads
beforeEach(() => {
  stored.tokens = [tokenOf(TOKEN, 1), tokenOf(OTHER, 1)]
  stored.trades = [...TRADES]
})

const list = (path: string) => gateway.list<Trade>(path)
const idsOf = async (path: string) => (await list(path)).data.map(({ id }) => id).join(' ')
const refusal = async (path: string) => expectProblem(await gateway.get(path), 400, 'invalid_parameter')

describe('trades', () => {
  test('of all tokens, and of one, have the newest first, with the block they are true for', async () => {
    expect(await list('/api/trades')).toEqual({ data: TRADES.toReversed(), nextCursor: null, asOfBlock: '456' })
    const ofToken = TRADES.filter(({ token }) => token === TOKEN).toReversed()
    expect(await list(`/api/tokens/${TOKEN}/trades`)).toEqual({ data: ofToken, nextCursor: null, asOfBlock: '456' })
  })

  test.for([
    [`/api/trades?tokens=${OTHER},${addressOf(9)}&minWeth=11`, '12-1 11-1'],
    [`/api/trades?makers=${addressOf(0xd0)}&order=asc&limit=2`, '10-0 11-0'],
    ['/api/trades?order=asc&after=10-1', '11-0 11-1 12-0 12-1'],
    // Lists of one token once refused 'after'.
    [`/api/tokens/${TOKEN}/trades?order=asc&after=10-0`, '11-0 12-0'],
    [`/api/wallets/${addressOf(0xd0)}/trades?order=asc&after=11-0`, '12-0'],
    // Clients that are generated from the description may repeat a list's parameter.
    [`/api/trades?tokens=${OTHER}&tokens=${addressOf(9)}&minWeth=11`, '12-1 11-1'],
    [`/api/trades?launchpad=wow&launchpad=clanker&minWeth=12`, '12-1 12-0'],
    [`/api/wallets/${addressOf(0xd1)}/trades?fromBlock=11`, '12-1 11-1'],
    [`/api/wallets/${addressOf(0xff)}/trades`, ''],
    [`/api/tokens/${TOKEN}/trades?minWeth=11.5`, '12-0'],
    [`/api/tokens/${OTHER}/trades?side=sell&limit=2`, '12-1 11-1'],
    [`/api/tokens/${TOKEN}/trades?side=sell`, ''],
    [`/api/tokens/${TOKEN}/trades?maker=${addressOf(0xd0)}&order=asc&fromBlock=11&toBlock=12`, '11-0 12-0'],
    [`/api/tokens/${TOKEN}/trades?fromBlock=12&toBlock=12`, '12-0'],
  ])('of %s are %s', async ([path, ids]) => {
    expect(await idsOf(path as string)).toBe(ids)
  })

  test('go on after a page that began after a trade, although newer trades have come', async () => {
    const first = await list('/api/trades?order=asc&after=10-0&limit=2')
    expect(first.data.map(({ id }) => id)).toEqual(['10-1', '11-0'])
    expect(await idsOf(`/api/trades?order=asc&after=10-0&limit=2&cursor=${first.nextCursor}`)).toBe('11-1 12-0')
    const path = `/api/tokens/${TOKEN}/trades?limit=2`
    const newest = await list(path)
    stored.trades.push({ ...tradeOf(TOKEN), id: '15-0', blockNumber: '15', logIndex: 0 })
    expect(await idsOf(`${path}&cursor=${newest.nextCursor}`)).toBe('10-0')
    await refusal(`/api/tokens/${addressOf(5)}/trades?cursor=${newest.nextCursor}`)
  })

  test.for([
    ['trades?after=10-1', 'after needs order=asc'],
    ['trades?order=asc&after=x', 'after must be <block>-<logIndex>, as the id of a trade, got "x"'],
    ['trades?from=2&to=1', 'from must not be after to, got 2 and 1'],
    ['trades?minWeth=1e3', 'minWeth must be a decimal number of at most 18 digits on each side of the point, got "1e3"'],
    ['trades?minWeth=-1', 'minWeth must be a decimal number of at most 18 digits on each side of the point, got "-1"'],
    ['trades?launchpad=wow,pump', 'launchpad must be of wow, clanker, got "pump"'],
    // Pools of quote currencies once stood among the launchpads.
    ['trades?launchpad=usdc', 'launchpad must be of wow, clanker, got "usdc"'],
    ['trades?side=buy&side=sell', 'side is given 2 times; it must be given once'],
    ['trades?tokens=0x1', 'tokens must be 1 to 100 addresses (0x and 40 hex digits), separated by commas, got "0x1"'],
    [`tokens/${TOKEN}/trades?limit=501`, 'limit must be an integer from 1 to 500, got "501"'],
    [`tokens/${TOKEN}/trades?side=hold`, 'side must be one of buy, sell, got "hold"'],
    [`tokens/${TOKEN}/trades?maker=me`, 'maker must be an address (0x and 40 hex digits), got "me"'],
    [`tokens/${TOKEN}/trades?fromBlock=-1`, 'fromBlock must be an integer from 0 to 9007199254740991, got "-1"'],
    [`tokens/${TOKEN}/trades?toBlock=9007199254740992`, 'toBlock must be an integer from 0 to 9007199254740991, got "9007199254740992"'],
    [`tokens/${TOKEN}/trades?fromBlock=2&toBlock=1`, 'fromBlock must not be above toBlock, got 2 and 1'],
  ] as const)('are refused for %s', async ([path, detail]) => {
    expect(await refusal(`/api/${path}`)).toBe(detail)
  })
})

test('every launchpad has its totals, also one without tokens', async () => {
  const totals = { tokens: 9, tokens24h: 2, bonding: 3, completed: 1, migrated: 2, volumeWeth24h: '1.5', trades24h: 7 }
  const none = { tokens: 0, tokens24h: 0, bonding: 0, completed: 0, migrated: 0, volumeWeth24h: '0', trades24h: 0 }
  stored.launchpads = [{ name: 'clanker', ...totals }]
  expect(await (await gateway.get('/api/launchpads')).json()).toEqual({
    data: [
      { name: 'wow', adapter: 'bonding-curve', ...none, graduationRate: null },
      { name: 'clanker', adapter: 'bonding-curve', ...totals, graduationRate: 50 },
    ],
    nextCursor: null,
    asOfBlock: '456',
  })
})
