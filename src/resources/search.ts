import { z } from 'zod'
import { integerParameter, textParameter } from './parameters.ts'
import { defineList } from './resource.ts'
import { tokenSchema, withUsd } from './token.ts'

export const search = defineList({
  id: 'searchTokens',
  tag: 'Tokens',
  path: '/api/search',
  summary: 'Tokens by symbol, name or address prefix, the best match first, in one page',
  parameters: z.object({
    q: textParameter(100).describe('Part of a symbol or name, or the beginning of an address: `0x` and at least two digits.'),
    limit: integerParameter(1, 50).default(20).describe('Maximum number of tokens returned.'),
  }),
  name: 'TokenList',
  meaning: 'A page of tokens.',
  item: tokenSchema,
  cursor: null,
  cacheControl: 'seconds',
  outdatedBy: 'commit',
  problems: ['data_unavailable'],
  valued: (item, { ethUsd }) => withUsd(item, ethUsd),
})
