import { beforeAll, expect, test } from 'vitest'
import { addressOf } from '#test/support/snapshots.ts'
import { type Gateway, startGateway } from '../startGateway.ts'

const PAIR = addressOf(0xabc)
let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
})

// A site that had read the latest block from another gateway was told 400, and skipped the range for good.
test.for([
  ['dexscreener/events?fromBlock=450&toBlock=457', 'the latest final block is 456, got toBlock 457; ask again later'],
  ['geckoterminal/events?fromBlock=450&toBlock=999', 'the latest final block is 456, got toBlock 999; ask again later'],
  ['dextools/events?fromBlock=457&toBlock=457', 'the latest final block is 456, got toBlock 457; ask again later'],
  ['dextools/block?number=457', 'the latest final block is 456, got 457; ask again later'],
] as const)('%s, of a block that is not final here, is to be asked again', async ([path, detail]) => {
  expect(await told(path)).toEqual([503, 'data_unavailable', '5', detail])
})

test.for([
  `dexscreener/pair?id=${PAIR}`,
  `geckoterminal/asset?id=${PAIR}`,
  `dextools/pair?id=${PAIR}`,
  `dextools/asset/holders?id=${PAIR}`,
  'dextools/block?number=3',
  'dexscreener/joined/7/latest-block',
] as const)('%s is to be asked again while this gateway shows less than is indexed, and is not found afterwards', async path => {
  const current = gateway.conditions.feed
  gateway.conditions.feed = { ...current, behindBlocks: 3 }
  expect((await told(path)).slice(0, 3)).toEqual([503, 'data_unavailable', '5'])
  gateway.conditions.feed = current
  expect((await told(path)).slice(0, 3)).toEqual([404, 'not_found', null])
})

async function told(path: string) {
  const response = await gateway.get(`/${path}`)
  const { code, detail } = (await response.json()) as { readonly code: string; readonly detail: string }
  return [response.status, code, response.headers.get('retry-after'), detail]
}
