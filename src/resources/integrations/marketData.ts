import { z } from 'zod'
import { LINK_KINDS } from '#domain/metadata.ts'
import { count } from '#resources/values.ts'

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
  .meta({ id: 'SiteBlock', description: 'A final block: no reorg can replace it.' })

export const latestBlockAnswer = z
  .object({ block: siteBlock.describe('The newest final block. Blocks up to it can be requested.') })
  .meta({ id: 'SiteLatestBlock', description: 'The newest block up to which a site can read.' })

const asset = z.object({
  id: siteAddress.describe('Checksummed address of the asset.'),
  name: z.string().min(1).describe('Name: untrusted text, never empty.'),
  symbol: z.string().min(1).describe('Symbol: untrusted text, never empty.'),
  totalSupply: amount.optional().describe('Total supply in whole tokens. Absent: the asset is not a launchpad’s token.'),
  circulatingSupply: amount
    .optional()
    .describe('Whole tokens, without burned and locked ones. Absent: the asset is not a launchpad’s token.'),
  metadata: z
    .partialRecord(z.enum(LINK_KINDS), z.string())
    .optional()
    .describe('Links of the token by kind, of which the first counts: untrusted. Absent: there are none, or they are not fetched yet.'),
})
const decimals = count.describe('Decimal places of a whole unit.')

export const dexscreenerAssetAnswer = z
  .object({ asset: asset.describe('The asset.') })
  .meta({ id: 'DexscreenerAsset', description: 'A launchpad’s token, or a currency in which tokens are quoted.' })
export const geckoterminalAssetAnswer = z
  .object({ asset: asset.extend({ decimals }).describe('The asset.') })
  .meta({ id: 'GeckoterminalAsset', description: 'A launchpad’s token, or a currency in which tokens are quoted.' })

export const sitePair = z.object({
  id: pairId,
  dexKey: z.string().min(1).describe('Name of the launchpad.'),
  asset0Id: siteAddress.describe('Checksummed address of the launchpad’s token.'),
  asset1Id: siteAddress.describe(
    'Checksummed address of the quote currency. For pairs with the native currency: the wrapped native currency.',
  ),
  createdAtBlockNumber: count.describe('Number of the block in which the pair was created.'),
  createdAtBlockTimestamp: count.describe('Unix seconds of that block.'),
  createdAtTxnId: transactionHash.describe('Hash of the transaction that created the pair.'),
  creator: siteAddress.describe('Checksummed address of the token’s creator.'),
  feeBps: z.number().min(0).optional().describe('Fee of a trade in basis points. Absent: dynamic or unknown.'),
})
export const pairAnswer = z
  .object({ pair: sitePair.describe('The pair. It never changes.') })
  .meta({ id: 'SitePair', description: 'A pool or curve of a launchpad’s token.' })

const reserves = z
  .object({ asset0: amount.describe('Reserve of the token.'), asset1: amount.describe('Reserve of the quote currency.') })
  .describe('What the pair holds after the event, in whole units; of a curve its real reserves, not its virtual ones.')
const place = {
  block: siteBlock,
  txnId: transactionHash.describe('Hash of the transaction.'),
  txnIndex: count.describe('Index of the transaction in the block.'),
  eventIndex: count.describe('Index of the log in the block: no two events of a block share it.'),
  maker: siteAddress.describe('Checksummed address of the account behind the event.'),
  pairId,
}
const swap = z.object({
  eventType: z.literal('swap').describe('A trade.'),
  ...place,
  asset0In: amount.optional().describe('Whole tokens sold. Present in sells, with `asset1Out`.'),
  asset1In: amount.optional().describe('Whole units of the quote currency paid, fee included. Present in buys, with `asset0Out`.'),
  asset0Out: amount.optional().describe('Whole tokens bought. Present in buys.'),
  asset1Out: amount.optional().describe('Whole units of the quote currency received, fee taken off. Present in sells.'),
  priceNative: amount.describe('Price of the pair after the trade: asset1 per asset0, with at most 50 decimal places.'),
})
const joinExit = z.object({
  eventType: z.enum(['join', 'exit']).describe('Liquidity was added (`join`) or removed (`exit`).'),
  ...place,
  amount0: amount.describe('Amount of the token, in whole units.'),
  amount1: amount.describe('Amount of the quote currency, in whole units.'),
})

function eventsAnswer<Fields extends { readonly reserves: z.ZodType }>(id: string, fields: Fields) {
  return z
    .object({
      events: z.array(z.union([swap.extend(fields), joinExit.extend(fields)])).describe('Events in the order of block and log index.'),
    })
    .meta({ id, description: 'Trades and changes of liquidity in a range of blocks.' })
}

export const dexscreenerEventsAnswer = eventsAnswer('DexscreenerEvents', {
  reserves: reserves.optional().describe('Absent: events do not report the pair’s reserves.'),
})
export const geckoterminalEventsAnswer = eventsAnswer('GeckoterminalEvents', { reserves })
