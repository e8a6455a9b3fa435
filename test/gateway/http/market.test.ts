import { expect, test } from 'vitest'
import type { Trade } from '#resources/trades.ts'
import { addressOf, tradeOf } from '#test/support/snapshots.ts'
import { type Gateway, startGateway, TOKEN } from '../startGateway.ts'
import { expectProblem } from './expectProblem.ts'

let gateway: Gateway

const OTHER = addressOf(0xa2)
const LAUNCHPADS = ['wow', 'clanker', 'usdc'].map((name, index) => ({
  name,
  adapter: name === 'usdc' ? 'quote-pool' : 'bonding-curve',
  startBlock: 0,
  contracts: { factory: addressOf(index) },
}))

/** A trade of each of two tokens in the blocks 10 to 12. */
const TRADES: readonly Trade[] = [10, 11, 12].flatMap(block =>
  [TOKEN, OTHER].map((token, logIndex) => ({
    ...tradeOf(token),
    id: `${block}-${logIndex}`,
    blockNumber: String(block),
    logIndex,
    maker: addressOf(0xd0 + logIndex),
    amountWeth: String(block),
  })),
)

async function answer(path: string) {
  gateway = await startGateway({
    stored: { trades: [...TRADES] },
    config: { launchpads: { weth: addressOf(0xee), launchpads: LAUNCHPADS } },
  })
  return gateway.list<Trade>(path)
}

test('gives trades of all tokens, or of some, or of a wallet, with the block they are true for', async () => {
  const all = await answer('/api/trades')
  expect(all).toEqual({ data: TRADES.toReversed(), nextCursor: null, asOfBlock: '456' })
  for (const [path, ids] of [
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
  ]) {
    const { data } = (await (await gateway.get(path as string)).json()) as { data: readonly Trade[] }
    expect([path, data.map(({ id }) => id).join(' ')]).toEqual([path, ids])
  }
})

test('goes on after a page that began after a trade', async () => {
  const first = await answer('/api/trades?order=asc&after=10-0&limit=2')
  expect(first.data.map(({ id }) => id)).toEqual(['10-1', '11-0'])
  const second = await gateway.get(`/api/trades?order=asc&after=10-0&limit=2&cursor=${first.nextCursor}`)
  expect(((await second.json()) as typeof first).data.map(({ id }) => id)).toEqual(['11-1', '12-0'])
})

test.for([
  ['after=10-1', 'after needs order=asc'],
  ['order=asc&after=x', 'after must be <block>-<logIndex>, as the id of a trade, got "x"'],
  ['from=2&to=1', 'from must not be after to, got 2 and 1'],
  ['minWeth=1e3', 'minWeth must be a decimal number of at most 18 digits on each side of the point, got "1e3"'],
  ['minWeth=-1', 'minWeth must be a decimal number of at most 18 digits on each side of the point, got "-1"'],
  ['launchpad=wow,pump', 'launchpad must be of wow, clanker, got "pump"'],
  // Pools of quote currencies once stood among the launchpads.
  ['launchpad=usdc', 'launchpad must be of wow, clanker, got "usdc"'],
  ['side=buy&side=sell', 'side is given 2 times; it must be given once'],
  ['tokens=0x1', 'tokens must be 1 to 100 addresses (0x and 40 hex digits), separated by commas, got "0x1"'],
] as const)('refuses ?%s', async ([query, detail]) => {
  gateway = await startGateway({ config: { launchpads: { weth: addressOf(0xee), launchpads: LAUNCHPADS } } })
  expect(await expectProblem(await gateway.get(`/api/trades?${query}`), 400, 'invalid_parameter')).toBe(detail)
})

test('gives every launchpad with its totals, also one without tokens', async () => {
  const totals = { tokens: 9, tokens24h: 2, bonding: 3, completed: 1, migrated: 2, volumeWeth24h: '1.5', trades24h: 7 }
  gateway = await startGateway({
    stored: { launchpads: [{ name: 'clanker', ...totals }] },
    config: { launchpads: { weth: addressOf(0xee), launchpads: LAUNCHPADS } },
  })
  const none = { tokens: 0, tokens24h: 0, bonding: 0, completed: 0, migrated: 0, volumeWeth24h: '0', trades24h: 0 }
  expect(await (await gateway.get('/api/launchpads')).json()).toEqual({
    data: [
      { name: 'wow', adapter: 'bonding-curve', ...none, graduationRate: null },
      { name: 'clanker', adapter: 'bonding-curve', ...totals, graduationRate: 50 },
    ],
    nextCursor: null,
    asOfBlock: '456',
  })
})
