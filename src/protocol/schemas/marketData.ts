import { z } from 'zod'
import { count } from './values.ts'

/* The answers for DEX Screener (adapter specification 1.1) and GeckoTerminal (integration standard 0.1), which are mostly the same. */

export const siteAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
export const pairId = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{40}|[0-9a-f]{64})$/)
  .describe('The pair: the checksummed address of its pool or curve, or a Uniswap v4 pool id.')
export const transactionHash = z.string().regex(/^0x[0-9a-f]{64}$/)
const amount = z.string().regex(/^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/)

export const siteBlock = z
  .object({ blockNumber: count.describe('Number of the block.'), blockTimestamp: count.describe('Unix seconds of the block.') })
  .meta({ id: 'SiteBlock', description: 'A block that can’t be replaced any more.' })

export const latestBlockAnswer = z
  .object({ block: siteBlock.describe('The newest block of which everything can be asked.') })
  .meta({ id: 'SiteLatestBlock', description: 'How far a site can read.' })

const asset = z.object({
  id: siteAddress.describe('Checksummed address.'),
  name: z.string().min(1).describe('Name: untrusted text, never empty.'),
  symbol: z.string().min(1).describe('Symbol: untrusted text, never empty.'),
  totalSupply: amount.optional().describe('Whole tokens. Absent: it is no token of a launchpad.'),
  circulatingSupply: amount.optional().describe('Whole tokens, without burned and locked ones. Absent: it is no token of a launchpad.'),
})
const decimals = count.describe('Decimals.')

export const dexscreenerAssetAnswer = z
  .object({ asset: asset.describe('The asset.') })
  .meta({ id: 'DexscreenerAsset', description: 'A token, or what one is quoted in.' })
export const geckoterminalAssetAnswer = z
  .object({ asset: asset.extend({ decimals }).describe('The asset.') })
  .meta({ id: 'GeckoterminalAsset', description: 'A token, or what one is quoted in.' })

export const sitePair = z.object({
  id: pairId,
  dexKey: z.string().min(1).describe('Name of the launchpad.'),
  asset0Id: siteAddress.describe('The launchpad’s token.'),
  asset1Id: siteAddress.describe('What it is quoted in; the wrapped native currency where that is the native one.'),
  createdAtBlockNumber: count.describe('Number of the block that created it.'),
  createdAtBlockTimestamp: count.describe('Unix seconds of that block.'),
  createdAtTxnId: transactionHash.describe('Transaction that created it.'),
  creator: siteAddress.describe('Checksummed address of the token’s creator.'),
  feeBps: z.number().min(0).optional().describe('Fee in basis points. Absent: dynamic or unknown.'),
})
export const pairAnswer = z
  .object({ pair: sitePair.describe('The pair. It never changes.') })
  .meta({ id: 'SitePair', description: 'A pool or curve of a launchpad’s token.' })

const reserves = z
  .object({ asset0: amount.describe('Of the token.'), asset1: amount.describe('Of what it is quoted in.') })
  .describe('What the pair holds after the event, in whole units; of a curve what it really holds.')
const place = {
  block: siteBlock,
  txnId: transactionHash.describe('Transaction.'),
  txnIndex: count.describe('Index of the transaction in the block.'),
  eventIndex: count.describe('Index of the log in the block: no two events of a block share it.'),
  maker: siteAddress.describe('Checksummed address of the account behind it.'),
  pairId,
}
const swap = z.object({
  eventType: z.literal('swap').describe('A trade.'),
  ...place,
  asset0In: amount.optional().describe('Tokens sold. With `asset1Out` only.'),
  asset1In: amount.optional().describe('Paid for tokens, fee included. With `asset0Out` only.'),
  asset0Out: amount.optional().describe('Tokens bought.'),
  asset1Out: amount.optional().describe('Received for tokens, fee taken off.'),
  priceNative: amount.describe('The pair’s price after the trade: of asset0 in asset1, at most 50 places.'),
})
const joinExit = z.object({
  eventType: z.enum(['join', 'exit']).describe('Liquidity that entered, or left.'),
  ...place,
  amount0: amount.describe('Of the token, in whole units.'),
  amount1: amount.describe('Of what it is quoted in, in whole units.'),
})

function eventsAnswer<Fields extends { readonly reserves: z.ZodType }>(id: string, fields: Fields) {
  return z
    .object({ events: z.array(z.union([swap.extend(fields), joinExit.extend(fields)])).describe('By block and log index.') })
    .meta({ id, description: 'Everything that happened in a range of blocks.' })
}

export const dexscreenerEventsAnswer = eventsAnswer('DexscreenerEvents', {
  reserves: reserves.optional().describe('Absent: no event tells what the pair holds, as in Uniswap v4.'),
})
export const geckoterminalEventsAnswer = eventsAnswer('GeckoterminalEvents', { reserves })
