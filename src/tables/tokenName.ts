import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'

const properties = {
  token: column.address().primary(),
  name: column.text(),
}

/**
 * The name of each token that has one, for the search by words and by endings. Every trade writes the token's row with all of its indexes
 * anew, and a name hardly ever changes: here its indexes are left alone.
 */
export const TokenNameEntity = defineEntity({
  name: 'TokenName',
  tableName: 'token_name',
  properties,
  indexes: [
    {
      name: 'token_name_by_suffix',
      expression: 'create index token_name_by_suffix on token_name (reverse(lower(name)) text_pattern_ops)',
    },
    {
      name: 'token_name_by_words',
      expression: `create index token_name_by_words on token_name using gin (to_tsvector('simple', name)) with (fastupdate = off)`,
    },
  ],
})
