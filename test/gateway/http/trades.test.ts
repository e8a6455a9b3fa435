import { expect, test } from 'vitest'
import type { Trade } from '#resources/trades.ts'
import { addressOf, tradeOf } from '#test/support/snapshots.ts'
import { type Gateway, type ListAnswer, startGateway, TOKEN } from '../startGateway.ts'
import { expectProblem } from './expectProblem.ts'

let gateway: Gateway

/** Two trades in each of the blocks 10 to 14: a buy by one maker and a sell by another. */
function trades(): Trade[] {
  return [10, 11, 12, 13, 14].flatMap(block =>
    [0, 1].map(logIndex => ({
      ...tradeOf(TOKEN),
      id: `${block}-${logIndex}`,
      blockNumber: String(block),
      logIndex,
      side: logIndex === 0 ? ('buy' as const) : ('sell' as const),
      maker: addressOf(0xd0 + logIndex),
    })),
  )
}

async function list(query: string) {
  gateway = await startGateway({ stored: { trades: trades() } })
  return gateway.list<Trade>(`/api/tokens/${TOKEN}/trades?${query}`)
}

const ids = ({ data }: ListAnswer<Trade>) => data.map(trade => trade.id)

test('gives trades as they are stored, the newest first', async () => {
  const page = await list('')
  expect(page).toEqual({ data: trades().toReversed(), nextCursor: null, asOfBlock: '456' })
})

test('filters by side, maker and inclusive blocks, in either order', async () => {
  expect(ids(await list('side=sell&limit=2'))).toEqual(['14-1', '13-1'])
  expect(ids(await list(`maker=${addressOf(0xd0)}&order=asc&fromBlock=11&toBlock=12`))).toEqual(['11-0', '12-0'])
  expect(ids(await list('fromBlock=14&toBlock=14'))).toEqual(['14-1', '14-0'])
})

test('continues where a page ended although newer trades have come', async () => {
  const first = await list('limit=3')
  gateway.reads.stored.trades.push({ ...tradeOf(TOKEN), id: '15-0', blockNumber: '15', logIndex: 0 })
  const second = await gateway.list<Trade>(`/api/tokens/${TOKEN}/trades?limit=3&cursor=${first.nextCursor}`)
  expect([...ids(first), ...ids(second)]).toEqual(['14-1', '14-0', '13-1', '13-0', '12-1', '12-0'])
})

test.for([
  ['limit=501', 'limit must be an integer from 1 to 500, got "501"'],
  ['side=hold', 'side must be one of buy, sell, got "hold"'],
  ['maker=me', 'maker must be an address (0x and 40 hex digits), got "me"'],
  ['fromBlock=-1', 'fromBlock must be an integer from 0 to 9007199254740991, got "-1"'],
  ['toBlock=9007199254740992', 'toBlock must be an integer from 0 to 9007199254740991, got "9007199254740992"'],
  ['fromBlock=2&toBlock=1', 'fromBlock must not be above toBlock, got 2 and 1'],
] as const)('refuses ?%s', async ([query, detail]) => {
  gateway = await startGateway()
  expect(await expectProblem(await gateway.get(`/api/tokens/${TOKEN}/trades?${query}`), 400, 'invalid_parameter')).toBe(detail)
})

test('refuses a cursor of the trades of another token', async () => {
  const { nextCursor } = await list('limit=1')
  await expectProblem(await gateway.get(`/api/tokens/${addressOf(5)}/trades?cursor=${nextCursor}`), 400, 'invalid_parameter')
})
