import { z } from 'zod'
import { defineResource, NO_PARAMETERS } from './resource.ts'
import { count, decimalText, integerText, timeText } from './values.ts'
import type { Wire } from './wire.ts'

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
  outdatedBy: 'commit',
  problems: ['data_unavailable'],
})
