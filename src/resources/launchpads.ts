import { z } from 'zod'
import { defineResource, listSchema, NO_PARAMETERS } from './resource.ts'
import { count, decimalText, percent } from './values.ts'
import type { Wire } from './wire.ts'

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
  cacheControl: 'revalidate',
  outdatedBy: 'commit',
  problems: ['data_unavailable'],
})
