import { z } from 'zod'
import { addressText, count } from './values.ts'

/** What identifies a token beside other facts. */
export const tokenSummaryFields = {
  address: addressText.describe('Address of the token.'),
  symbol: z.string().nullable().describe('Symbol: untrusted text. `null`: unknown.'),
  name: z.string().nullable().describe('Name: untrusted text. `null`: unknown.'),
  decimals: count.describe('Decimal places of a whole token.'),
  imageUrl: z.string().nullable().describe('Image behind the metadata URI: untrusted. `null`: none, or not fetched yet.'),
  launchpad: z.string().describe('Name of the launchpad.'),
}
