import { z } from 'zod'
import { pairId, siteAddress, siteBlock, sitePair, transactionHash } from './marketData.ts'
import { count, integerText } from './values.ts'

/* The answers that DEXTools (HTTP adapter 0.0.1) asks for. */

const amount = z.string().regex(/^\d+\.\d+$/)

export const dextoolsBlockAnswer = z
  .object({ block: siteBlock.describe('The block.') })
  .meta({ id: 'DextoolsBlock', description: 'A block. Known are the newest 4,096 and those in which something happened.' })

export const dextoolsAssetAnswer = z
  .object({
    asset: z
      .object({
        id: siteAddress.describe('Checksummed address.'),
        name: z.string().min(1).describe('Name: untrusted text, never empty.'),
        symbol: z.string().min(1).describe('Symbol: untrusted text, never empty.'),
        totalSupply: amount.optional().describe('Whole tokens. Absent: it is no token of a launchpad. The same for the next two.'),
        circulatingSupply: amount.optional().describe('Whole tokens, without burned and locked ones.'),
        holdersCount: count.optional().describe('Accounts that hold some.'),
      })
      .describe('The asset.'),
  })
  .meta({ id: 'DextoolsAsset', description: 'A token, or what one is quoted in.' })

export const dextoolsHoldersAnswer = z
  .object({
    asset: z
      .object({
        id: siteAddress.describe('Checksummed address.'),
        totalHoldersCount: count.describe('Accounts that hold some.'),
        holders: z
          .array(
            z.object({
              address: siteAddress.describe('Checksummed address of the account.'),
              quantity: integerText.describe('Its balance in the smallest unit.'),
            }),
          )
          .describe('Largest first; none past the end.'),
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
        logoURL: z.string().describe('Empty: DEXTools asks the operator for a logo.'),
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
  txnId: transactionHash.describe('Transaction.'),
  txnIndex: count.describe('Index of the transaction in the block.'),
  eventIndex: count.describe('Place in the block, ascending: three times the index of the log, and 0 to 2 for what the log is.'),
  maker: siteAddress.describe('Checksummed address of the account behind it.'),
  pairId,
}
const reserves = z
  .object({ asset0: amount.describe('Of the token.'), asset1: amount.describe('Of what it is quoted in.') })
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
            asset0In: amount.optional().describe('Tokens sold. With `asset1Out` only.'),
            asset1In: amount.optional().describe('Paid for tokens, fee included. With `asset0Out` only.'),
            asset0Out: amount.optional().describe('Tokens bought.'),
            asset1Out: amount.optional().describe('Received for tokens, fee taken off.'),
            reserves,
          }),
          z.object({
            eventType: z.enum(['join', 'exit']).describe('Liquidity that entered, or left.'),
            ...place,
            amount0: amount.describe('Of the token, in whole units.'),
            amount1: amount.describe('Of what it is quoted in, in whole units.'),
            reserves,
          }),
        ]),
      )
      .describe('By block and place in it.'),
  })
  .meta({ id: 'DextoolsEvents', description: 'Everything that happened in a range of blocks.' })
