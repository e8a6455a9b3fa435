import { z } from 'zod'
import { count, integerText } from '#resources/values.ts'
import { pairId, siteAddress, siteBlock, sitePair, transactionHash } from './marketData.ts'

/* The answers that DEXTools (HTTP adapter 0.0.1) asks for. */

const amount = z.string().regex(/^\d+\.\d+$/)

export const dextoolsBlockAnswer = z
  .object({ block: siteBlock.describe('The block.') })
  .meta({ id: 'DextoolsBlock', description: 'A final block. Only the newest 4,096 blocks and older blocks with an event are stored.' })

export const dextoolsAssetAnswer = z
  .object({
    asset: z
      .object({
        id: siteAddress.describe('Checksummed address.'),
        name: z.string().min(1).describe('Name: untrusted text, never empty.'),
        symbol: z.string().min(1).describe('Symbol: untrusted text, never empty.'),
        totalSupply: amount
          .optional()
          .describe('Total supply in whole tokens. Absent, like the next two fields, if the asset is not a launchpad’s token.'),
        circulatingSupply: amount.optional().describe('Circulating supply in whole tokens, without burned and locked ones.'),
        holdersCount: count.optional().describe('Number of accounts with a balance of the token.'),
      })
      .describe('The asset.'),
  })
  .meta({ id: 'DextoolsAsset', description: 'A launchpad’s token, or a currency in which tokens are quoted.' })

export const dextoolsHoldersAnswer = z
  .object({
    asset: z
      .object({
        id: siteAddress.describe('Checksummed address.'),
        totalHoldersCount: count.describe('Number of accounts with a balance of the token.'),
        holders: z
          .array(
            z.object({
              address: siteAddress.describe('Checksummed address of the account.'),
              quantity: integerText.describe('Balance of the account in the smallest unit.'),
            }),
          )
          .describe('Holders, the largest first. Empty after the last page.'),
      })
      .describe('The token.'),
  })
  .meta({ id: 'DextoolsHolders', description: 'A page of the holders of a token.' })

export const dextoolsExchangeAnswer = z
  .object({
    exchange: z
      .object({
        factoryAddress: siteAddress.describe('Checksummed address of the launchpad’s factory.'),
        name: z.string().min(1).describe('Name of the launchpad.'),
        logoURL: z.string().describe('Always empty: DEXTools asks the operator for a logo.'),
      })
      .describe('The launchpad.'),
  })
  .meta({ id: 'DextoolsExchange', description: 'A launchpad.' })

export const dextoolsPairAnswer = z
  .object({
    pair: sitePair
      .omit({ dexKey: true, creator: true })
      .extend({ factoryAddress: siteAddress.describe('Checksummed address of the launchpad’s factory.') })
      .describe('The pair. It never changes.'),
  })
  .meta({ id: 'DextoolsPair', description: 'A pool or curve of a launchpad’s token.' })

const place = {
  block: siteBlock,
  txnId: transactionHash.describe('Hash of the transaction.'),
  txnIndex: count.describe('Index of the transaction in the block.'),
  eventIndex: count.describe(
    'Position in the block: three times the log index, plus 0 for the creation of a curve, 1 for that of a pool, 2 for other events.',
  ),
  maker: siteAddress.describe('Checksummed address of the account behind the event.'),
  pairId,
}
const reserves = z
  .object({ asset0: amount.describe('Reserve of the token.'), asset1: amount.describe('Reserve of the quote currency.') })
  .describe('What the pair holds after the event, in whole units.')

export const dextoolsEventsAnswer = z
  .object({
    events: z
      .array(
        z.union([
          z.object({ eventType: z.literal('creation').describe('A new pair: its first event.'), ...place }),
          z.object({
            eventType: z.literal('swap').describe('A trade.'),
            ...place,
            asset0In: amount.optional().describe('Whole tokens sold. Present in sells, with `asset1Out`.'),
            asset1In: amount
              .optional()
              .describe('Whole units of the quote currency paid, fee included. Present in buys, with `asset0Out`.'),
            asset0Out: amount.optional().describe('Whole tokens bought. Present in buys.'),
            asset1Out: amount.optional().describe('Whole units of the quote currency received, fee taken off. Present in sells.'),
            reserves,
          }),
          z.object({
            eventType: z.enum(['join', 'exit']).describe('Liquidity was added (`join`) or removed (`exit`).'),
            ...place,
            amount0: amount.describe('Amount of the token, in whole units.'),
            amount1: amount.describe('Amount of the quote currency, in whole units.'),
            reserves,
          }),
        ]),
      )
      .describe('Events in the order of block and `eventIndex`.'),
  })
  .meta({ id: 'DextoolsEvents', description: 'New pairs, trades and changes of liquidity in a range of blocks.' })
