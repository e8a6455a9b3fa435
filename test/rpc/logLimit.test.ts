import { describe, expect, it } from 'vitest'
import { type LogLimit, parseLogLimit } from '#rpc/logLimit.ts'

const blocks = (max: number | null): LogLimit => ({ kind: 'blocks', max })
const suggested = (from: number, to: number): LogLimit => ({ kind: 'suggested', from, to })
const density: LogLimit = { kind: 'density' }
const addressRequired: LogLimit = { kind: 'address-required' }
const addresses = (max: number | null): LogLimit => ({ kind: 'addresses', max })

/** What providers and nodes have been seen to answer, and what it means. */
const WORDINGS: readonly (readonly [who: string, message: string, limit: LogLimit | null])[] = [
  [
    'Alchemy, by response size',
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x64, 0x1f3]',
    suggested(100, 499),
  ],
  [
    'Alchemy, free tier',
    'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1180fca, 0x1180fd3]. Upgrade to PAYG for expanded block range.',
    suggested(0x1180fca, 0x1180fd3),
  ],
  ['Alchemy, without a suggestion', 'You can make eth_getLogs requests with up to a 500 block range.', blocks(500)],
  [
    'Alchemy, by time',
    'Query timeout exceeded. Consider reducing your block range. Based on your parameters and the response size limit, this block range should work: [0x5223c98, 0x5223e80]',
    suggested(0x5223c98, 0x5223e80),
  ],
  ['Infura, by results', 'query returned more than 10000 results. Try with this block range [0x1A, 0x2B].', suggested(26, 43)],
  ['Infura, by blocks', 'range 1000000 exceeds limit of 10000', blocks(10_000)],
  [
    'PublicNode, of any address',
    'Please specify an address in your request or, to remove restrictions, order a dedicated full node here: https://example.com',
    addressRequired,
  ],
  ['of any address', 'eth_getLogs without address is not supported', addressRequired],
  ['of any address, as a parameter', 'address field is required', addressRequired],
  ['geth-like', 'query returned more than 10000 results', density],
  ['QuickNode', 'eth_getLogs is limited to a 10,000 range', blocks(10_000)],
  ['QuickNode, trial', 'eth_getLogs is limited to a 5 range', blocks(5)],
  ['1RPC', 'eth_getLogs is limited to 0 - 10000 blocks range', blocks(10_000)],
  ['1RPC, by size', 'response size should not greater than 10000000 bytes', density],
  ['BlockPI', 'eth_getLogs is limited to 1024 block range. Please check the parameter requirements', blocks(1_024)],
  ['Ankr', 'block range is too wide', blocks(null)],
  ['Ankr, by distance', 'maximum [from, to] blocks distance: 2000', blocks(2_000)],
  ['Moonbeam', 'block range is too wide (maximum 1024)', blocks(1_024)],
  ['Cloudflare', 'Max range: 800', blocks(800)],
  ['Coinbase', 'please limit the query to at most 1000 blocks', blocks(1_000)],
  ['Avalanche', 'requested too many blocks from 1 to 10000, maximum is set to 2048', blocks(2_048)],
  ['thirdweb', 'Maximum allowed number of requested blocks is 3500', blocks(3_500)],
  ['PublicNode', 'exceed maximum block range: 50000', blocks(50_000)],
  ['reth', 'query exceeds max block range 100000', blocks(100_000)],
  ['reth, by results', 'query exceeds max results 20000, retry with the range 3600741-3620740', suggested(3_600_741, 3_620_740)],
  ['reth, by results, older', 'query exceeds max results 20000', density],
  ['Swell', 'block range greater than 10000 max', blocks(10_000)],
  ['Somnia', 'block range exceeds 1000', blocks(1_000)],
  ['Merkle', 'eth_getLogs range is too large, max is 10k blocks', blocks(10_000)],
  ['Harmony', 'query must be smaller than size 1024', blocks(1_024)],
  ['Blast, by plan', 'Block range exceeds the range allowed for your plan (100000 > 2000)', blocks(2_000)],
  ['Chainstack', 'Block range limit exceeded. See more details at https://docs.chainstack.com/docs/limits', blocks(null)],
  ['Base, public', 'block range too large', blocks(null)],
  ['Optimism, public', 'Block range is too large', blocks(null)],
  ['Optimism, by size', 'backend response too large', density],
  ['Arbitrum', 'logs matched by query exceeds limit of 10000', density],
  ['Nethermind', 'Too many logs requested. Max logs per response is 20000.', density],
  ['Besu', 'Requested range exceeds maximum RPC range limit', blocks(null)],
  ['Scroll', 'block range is bigger than maxBlockRange', blocks(null)],
  ['Morph', 'block range is larger than max block range, block range = 5120, max block range = 5000', blocks(5_000)],
  ['cdk-erigon', 'block range too large, max range: 20000', blocks(20_000)],
  ['dRPC', 'ranges over 10000 blocks are not supported on freetier', blocks(10_000)],
  ['"exceeds 2000"', 'block range exceeds 2000', blocks(2_000)],
  ['Candle', 'block range too high', blocks(null)],
  ['a node that gave up', 'query timeout exceeded', density],
  ['a proxy that gave up', 'context deadline exceeded', density],
  ['geth, by addresses', 'exceed max addresses or topics per search position', addresses(null)],
  ['by addresses, with a number', 'too many addresses: 1500, limit is 1000', addresses(1_000)],

  ['geth, past its head', 'block range extends beyond current head block', null],
  ['Avalanche, past its head', 'requested from block 12 after last accepted block 10', null],
  ['a pruned node', 'header not found', null],
  ['a rate limit', 'Your app has exceeded its compute units per second capacity', null],
  ['another rate limit', 'daily request count exceeded, request rate limited', null],
  ['a revert', 'execution reverted', null],
  ['nothing', '', null],
]

describe('parseLogLimit', () => {
  it.each(WORDINGS)('understands %s', (_, message, limit) => {
    expect(parseLogLimit(message)).toEqual(limit)
  })

  it('reads a bounded part of a text that the provider chose', () => {
    const limit = 'block range exceeds 2000'
    expect(parseLogLimit(`${' '.repeat(500)}${limit}`)).toEqual(blocks(2_000))
    expect(parseLogLimit(`${' '.repeat(10_000_000)}${limit}`)).toBeNull()
  })

  it('takes no number that is no count', () => {
    expect(parseLogLimit('block range exceeds 0')).toEqual(blocks(null))
    expect(parseLogLimit(`block range exceeds ${'9'.repeat(40)}`)).toEqual(blocks(null))
  })
})
