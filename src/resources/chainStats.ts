import { z } from 'zod'
import { defineResource, listSchema, NO_PARAMETERS } from './resource.ts'
import { count, decimalText, integerText, percent, timeText, type Wire } from './values.ts'

const chainStatsSchema = z
  .object({
    chainId: count.describe('EIP-155 id of the chain.'),
    headBlock: integerText.nullable().describe('Number of the newest block that the providers report. `null`: none answered yet.'),
    indexedBlock: integerText.describe('Number of the newest indexed block.'),
    blockTimeMs: z.number().min(0).nullable().describe('Average time between recent blocks, in ms. `null`: not known yet.'),
    baseFeeGwei: decimalText.nullable().describe('Base fee of the newest block, in gwei. `null`: unknown.'),
    tokens: count.describe('Number of indexed tokens.'),
    tokens24h: count.describe('Tokens launched in the last 24 hours.'),
    bonding: count.describe('Tokens on their curve.'),
    completed: count.describe('Tokens that reached their target and have no pool yet.'),
    migrated: count.describe('Tokens that have graduated.'),
    trades24h: count.describe('Trades of the last 24 hours.'),
    traders24h: count.describe('Accounts that traded in the last 24 hours.'),
    volumeWeth24h: decimalText.describe('Value traded in the last 24 hours, in WETH.'),
    volumeUsd24h: decimalText.nullable().describe('`volumeWeth24h` in USD. `null`: the ETH price is unknown.'),
    liquidityWeth: decimalText.describe('Sum of the pools’ known liquidity, in WETH.'),
    asOfBlock: integerText.describe('Number of the block as of which the totals are.'),
    updatedAt: timeText.describe('Time of that block’s commit.'),
  })
  .meta({ id: 'ChainStats', description: 'Totals of the whole index. The 24 hours end at the time of the newest indexed block.' })

/** The state of the whole index; the 24 hours end at the timestamp of the newest indexed block. */
export type ChainStats = Wire<typeof chainStatsSchema>

export const indexTotals = defineResource({
  id: 'getChainStats',
  tag: 'Market',
  path: '/api/chain-stats',
  summary: 'Totals of the index',
  parameters: NO_PARAMETERS,
  answer: chainStatsSchema,
  cacheControl: 'seconds',
})

export const launchpadSchema = z
  .object({
    name: z.string().describe('Name of the launchpad in `launchpads.json`.'),
    adapter: z.string().describe('Name of the adapter that reads the launchpad’s events.'),
    tokens: count.describe('Number of tokens of the launchpad.'),
    tokens24h: count.describe('Tokens launched in the last 24 hours.'),
    bonding: count.describe('Tokens on their curve.'),
    completed: count.describe('Tokens that reached their target and have no pool yet.'),
    migrated: count.describe('Tokens that have graduated.'),
    volumeWeth24h: decimalText.describe('Value traded in the last 24 hours, in WETH.'),
    trades24h: count.describe('Trades of the last 24 hours.'),
    graduationRate: percent
      .nullable()
      .describe(
        'Share of the launchpad’s tokens that reached their target, in percent. Tokens without a graduation do not count. ' +
          '`null`: there are no others.',
      ),
  })
  .meta({ id: 'Launchpad', description: 'Totals of one launchpad. The 24 hours end at the time of the newest indexed block.' })

export type Launchpad = Wire<typeof launchpadSchema>
/** Totals of one launchpad; the 24 hours end at the timestamp of the newest indexed block. */
export type LaunchpadTotals = Omit<Launchpad, 'adapter' | 'graduationRate'>

export const launchpads = defineResource({
  id: 'listLaunchpads',
  tag: 'Market',
  path: '/api/launchpads',
  summary: 'The indexed launchpads with their totals, in one page',
  parameters: NO_PARAMETERS,
  answer: listSchema(launchpadSchema).meta({ id: 'LaunchpadList', description: 'The launchpads, in one page.' }),
})
