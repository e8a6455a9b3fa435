import { expect, test } from 'vitest'
import { startGateway } from '#test/gateway/startGateway.ts'
import { addressOf } from '#test/support/snapshots.ts'

const PAIR = addressOf(0xabc)
const OTHERS = addressOf(0xdef)
const launchpads = ['wow', 'other'].map(name => ({ name, adapter: 'wow', startBlock: 0, contracts: {} }))
const facts = { type: 'curve', token: PAIR, quoteToken: PAIR, creator: PAIR, feeBps: null, createdBlock: 1, createdAt: 1 } as const
const pairs = [{ ...facts, id: OTHERS, launchpad: 'other', creationTxHash: '0x1' } as const]
const gateway = await startGateway({ stored: { pairs }, config: { launchpads: { weth: addressOf(0xee), launchpads } } })

// A site that had read the latest block from another gateway was told 400, and skipped the range for good.
test.for([
  ['dexscreener/wow/events?fromBlock=450&toBlock=457', 'the latest final block is 456, got toBlock 457; ask again later'],
  ['geckoterminal/wow/events?fromBlock=450&toBlock=999', 'the latest final block is 456, got toBlock 999; ask again later'],
  ['dextools/wow/events?fromBlock=457&toBlock=457', 'the latest final block is 456, got toBlock 457; ask again later'],
  ['dextools/wow/block?number=457', 'the latest final block is 456, got 457; ask again later'],
] as const)('%s, of a block that is not final here, is to be asked again', async ([path, detail]) => {
  expect(await told(path)).toEqual([503, 'data_unavailable', '5', detail])
})

test.for([
  `dexscreener/wow/pair?id=${PAIR}`,
  `geckoterminal/wow/asset?id=${PAIR}`,
  `dextools/wow/pair?id=${PAIR}`,
  `dextools/wow/asset/holders?id=${PAIR}`,
  'dextools/wow/block?number=3',
  'dexscreener/gone/latest-block',
] as const)('%s is to be asked again while this gateway shows less than is indexed, and is not found afterwards', async path => {
  const current = gateway.conditions.feed
  gateway.conditions.feed = { ...current, behindBlocks: 3 }
  expect((await told(path)).slice(0, 3)).toEqual([503, 'data_unavailable', '5'])
  gateway.conditions.feed = current
  expect((await told(path)).slice(0, 3)).toEqual([404, 'not_found', null])
})

test('shows a pair below the path of its launchpad alone', async () => {
  expect((await gateway.get(`/dexscreener/other/pair?id=${OTHERS}`)).status).toBe(200)
  const [status, , , detail] = await told(`dexscreener/wow/pair?id=${OTHERS}`)
  expect([status, detail]).toEqual([404, `there is no pair ${OTHERS} in any final block`])
})

async function told(path: string) {
  const response = await gateway.get(`/${path}`)
  const { code, detail } = (await response.json()) as { readonly code: string; readonly detail: string }
  return [response.status, code, response.headers.get('retry-after'), detail]
}
